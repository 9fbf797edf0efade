import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { HookEntry } from "../settings/hook-entry.ts";
import { UNOPTIMISED_FLAGS, WATCHDOGS } from "./create-hook-entry.ts";
import { readConstant, parseHookEntry, parseShellWords, readModuleArguments } from "./parse-hook-entry.ts";

const FLAG = /^(?:--conditions|-C)=[\w@/.-]+$|^--no-warnings$/;
/** Other variables could load code. */
const LOCATION = /^(?:HOME|HAFT_(?:CONFIG|POLICY|ADMIN_POLICY|STATE_DIR)|XDG_(?:CONFIG|STATE|CACHE)_HOME)$/;

/** Returns `undefined` if the line has an unknown part. Installing the result gives the same text. */
export function rebuildHookEntry(installed: string): HookEntry | undefined {
  const { policyFile, watchOnly } = parseHookEntry(installed);
  const found = ofModule(installed) ?? ofLine(installed);
  if (found === undefined) return undefined;
  const { env, program, cleaner, watchdog } = found;
  const flags = program.slice(1, -1);
  const isKnown =
    /^(?:node|bun)(?:\.exe)?$/.test(basename(program[0] ?? "")) &&
    flags.every((flag) => UNOPTIMISED_FLAGS.includes(flag) || FLAG.test(flag)) &&
    Object.keys(env).every((name) => LOCATION.test(name)) &&
    (cleaner === undefined || basename(cleaner) === "env") &&
    (watchdog.length === 0 || WATCHDOGS.some((words) => isDeepStrictEqual(words, watchdog.slice(1))));
  if (!isKnown) return undefined;
  return {
    program,
    env,
    watchdog,
    watchOnly,
    ...(cleaner !== undefined && { cleaner }),
    ...(policyFile !== undefined && { policyFile }),
  };
}

type Made = Pick<HookEntry, "env" | "program" | "cleaner" | "watchdog">;

function ofModule(text: string): Made | undefined {
  const all = readModuleArguments(text);
  if (all === undefined) return undefined;
  const env = Object(readConstant(text, "ENV")) as Record<string, string>;
  return { env, program: all.slice(0, hookIn(all) + 1), watchdog: [] };
}

function ofLine(line: string): Made | undefined {
  const start = /^(?:haft=\$\()?(.*?)(?:\)(?: &&|;) case \$.*| \|\| true)?$/s.exec(line)?.[1] ?? "";
  const [cleaner, dashI, ...words] = parseShellWords(start);
  const isPassed = (word: string) => word.startsWith("${");
  const [first, last] = [words.findIndex(isPassed), words.findLastIndex(isPassed)];
  if (cleaner === undefined || dashI !== "-i" || first < 0) return undefined;
  const behind = words.slice(last + 1);
  const hook = hookIn(behind);
  const node = behind.slice(0, hook).findLastIndex((word) => /[/\\](?:node|bun)(?:\.exe)?$/.test(word));
  if (node < 0) return undefined;
  const pairs = words.slice(0, first).map((word) => /^([^=]*)=(.*)$/s.exec(word)?.slice(1) ?? [word, ""]);
  return {
    cleaner,
    env: Object.fromEntries(pairs) as Record<string, string>,
    watchdog: behind.slice(0, node),
    program: behind.slice(node, hook + 1),
  };
}

const hookIn = (words: readonly string[]) =>
  words.findIndex((word) => /[/\\]guard-hook\.c?[jt]s$/.test(word));
