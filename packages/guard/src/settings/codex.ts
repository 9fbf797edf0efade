import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import type { AgentSettings } from "./agent-settings.ts";
import { readCodexTrust } from "./codex-trust.ts";
import { probeCall } from "./hook-constants.ts";
import { HOOK_TIMEOUT_S, isGuardHookLine, shellLine } from "./hook-entry.ts";
import { listRecords } from "./json-entry.ts";
import { isReportedFailure, hasOutputValue } from "./outcomes.ts";

const BEGIN = "# haft guard: begin";
const END = "# haft guard: end";
/** Needed to remove the block exactly. */
const NO_FILE = ", in a file of its own";
const NO_END = ", behind a line without an end";

/** Adds a marked block at the end of the TOML, then parses and checks the text. */
export const codexSettings: AgentSettings = {
  id: "codex",
  file: ({ home, project, env }) =>
    project === undefined
      ? join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml")
      : join(project, ".codex/config.toml"),
  install(text, line) {
    const command = shellLine("codex", "PreToolUse", line);
    if (text !== undefined) requireToml(text);
    const found = text === undefined ? undefined : blockIn(text);
    const before = text === undefined ? undefined : codexSettings.uninstall(text);
    const eol = before?.includes("\r\n") === true ? "\r\n" : "\n";
    const isOpen = before !== undefined && before !== "" && !before.endsWith("\n");
    const block = [
      `${BEGIN}${before === undefined ? NO_FILE : isOpen ? NO_END : ""}`,
      "[[hooks.PreToolUse]]",
      'matcher = ".*"',
      "",
      "[[hooks.PreToolUse.hooks]]",
      'type = "command"',
      `command = ${tomlText(command)}`,
      `timeout = ${HOOK_TIMEOUT_S}`,
      END,
      "",
    ].join(eol);
    if (found !== undefined && text!.includes(block)) return text!;
    const after = `${before ?? ""}${isOpen ? eol : ""}${block}`;
    requireAdded(before ?? "", after, command);
    return after;
  },
  uninstall(text) {
    const found = blockIn(text);
    if (found === undefined) return text;
    const { from, to, how } = found;
    const eol = text.slice(0, from).endsWith("\r\n") ? 2 : 1;
    const isLast = to === text.length;
    const rest = text.slice(0, how === NO_END && isLast ? from - eol : from) + text.slice(to);
    if (rest === "" && how === NO_FILE) return undefined;
    requireToml(rest);
    return rest;
  },
  installed: (text) =>
    entriesOf(requireToml(text))
      .flatMap(({ hooks }) => listRecords(hooks).map(({ command }) => command))
      .filter((line) => isGuardHookLine("codex", line)),
  entries: (text) =>
    entriesOf(requireToml(text)).filter(({ hooks }) =>
      listRecords(hooks).some(({ command }) => isGuardHookLine("codex", command)),
    ),
  findDisablingSettings: switchedOff,
  trust: (text, files) => readCodexTrust(requireToml(text), files, (line) => isGuardHookLine("codex", line)),
  relatedFiles: {
    files: (_location, folder) => [join(folder, ".codex/config.toml")],
    problems: (text) => (text === undefined ? [] : switchedOff(text)),
  },
  next: "Codex asks a hook only after you have trusted it: start codex, type /hooks and review it, and repeat this after each change. Until then, the guard has no effect, also in codex exec.",
  open: [
    "A trusted project can disable hooks in its .codex/config.toml (features.hooks). status checks this for the current folder.",
    "Codex silently ignores a hook that you did not trust in /hooks. status compares the record of Codex with the installed hook.",
    "Input to a running command (write_stdin) fires no hook. Shells and interpreters without arguments count as unclear.",
  ],
  forbidden: (file, cwd) =>
    probeCall(cwd, "PreToolUse", "apply_patch", {
      command: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`,
    }),
  blocks: (outcome) =>
    isReportedFailure(outcome) ||
    hasOutputValue(outcome, ["hookSpecificOutput", "permissionDecision"], "deny"),
};

function switchedOff(text: string): string[] {
  const [features = {}] = listRecords([requireToml(text)["features"]]);
  const off = ["hooks", "codex_hooks"].filter((name) => features[name] === false);
  return off.map((name) => `features.${name} is false, so no hook is asked.`);
}

function requireToml(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    const [first] = (thrown as Error).message.split("\n");
    throw new Error(`it is not valid TOML (${first})`, { cause: thrown });
  }
}

function entriesOf(settings: Record<string, unknown>): Record<string, unknown>[] {
  const [hooks = {}] = listRecords([settings["hooks"]]);
  return listRecords(hooks["PreToolUse"]);
}

/** Exactly one hook may be new. */
function requireAdded(before: string, after: string, command: string): void {
  const [was, is] = [requireToml(before), requireToml(after)];
  const added = entriesOf(is).at(-1);
  const isGuard = listRecords(added?.["hooks"])[0]?.["command"] === command;
  const rest = entriesOf(is).slice(0, -1);
  const { hooks: hooksWere = {}, ...othersWere } = was as { hooks?: object };
  const { hooks: hooksAre = {}, ...othersAre } = is as { hooks?: object };
  const isSame =
    isDeepStrictEqual(plain(othersWere), plain(othersAre)) &&
    isDeepStrictEqual(plain({ PreToolUse: [], ...hooksWere }), plain({ ...hooksAre, PreToolUse: rest }));
  if (!isGuard || !isSame) throw new Error("a hook at its end would change other settings");
}

function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)),
  );
}

function blockIn(text: string): { from: number; to: number; how: string } | undefined {
  const all = [...text.matchAll(/^# haft guard: (?:begin(.*?)|end)\r?$\n?/gm)];
  const [begin, end, more] = all;
  if (begin === undefined) return undefined;
  if (end === undefined || begin[1] === undefined || end[1] !== undefined || more !== undefined)
    throw new Error(`its block between "${BEGIN}" and "${END}" is incomplete; remove it by hand`);
  return { from: begin.index, to: end.index + end[0].length, how: begin[1] };
}

/** Escapes a character that only TOML forbids. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
}
