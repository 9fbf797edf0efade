import type { CommandSubject, PlannedCommand } from "@haft/core";
import {
  type CommandPattern,
  permitsCommand,
  readCommandPattern,
  formatCommand,
} from "../patterns/command-pattern.ts";
import { programBaseName } from "../patterns/started-words.ts";
import type { ExecRules } from "../read/exec-config.ts";
import { truncateSentence, joinWords } from "../text/sentence.ts";

export interface CommandList {
  readonly byProgram: ReadonlyMap<string, readonly CommandPattern[]>;
  readonly others: readonly CommandPattern[];
  readonly safeBins: ReadonlySet<string>;
  readonly trustedDirs: ReadonlySet<string>;
}

/** These only read standard input and write standard output, with any options. */
export const defaultSafeBins: readonly string[] = ["cut", "uniq", "head", "tail", "tr", "wc"];
const systemFolders = ["/bin", "/usr/bin"];

/** These at most change the folder or print. */
const plainBuiltins: ReadonlySet<string> = new Set([":", "cd", "false", "pwd", "test", "true", "["]);
const plainWhenHarmless: ReadonlySet<string> = new Set(["echo", "printf", "exit"]);

/** Expects checked patterns. */
export function compileCommandList({
  allow = [],
  safeBins = defaultSafeBins,
  trustedDirs = [],
}: ExecRules): CommandList {
  const byProgram = new Map<string, CommandPattern[]>();
  const others: CommandPattern[] = [];
  for (const text of allow) {
    const pattern = readCommandPattern(text);
    if (pattern.program.length > 1) others.push(pattern);
    else {
      const program = pattern.program[0]!;
      const same = byProgram.get(program);
      if (same) same.push(pattern);
      else byProgram.set(program, [pattern]);
    }
  }
  return {
    byProgram,
    others,
    safeBins: new Set(safeBins),
    trustedDirs: new Set([...systemFolders, ...trustedDirs]),
  };
}

/** Returns why a call misses a list, as the rest of a sentence. Returns `undefined` if the list covers it. */
export function describeMiss(
  command: CommandSubject | undefined,
  misses: readonly PlannedCommand[],
  lists: readonly CommandList[],
): string | undefined {
  if (command === undefined) return "it is not known what the call would run";
  if (command.unclear !== undefined) return `it is not certain what would run, since ${command.unclear}`;
  if (command.commands.length === 0) return "it is not certain what would run";
  if (misses.length === 0) return undefined;
  const missing = misses.filter(({ path, builtin }) => path === undefined && builtin !== true);
  if (missing.length > 0)
    return `there is no program ${joinWords(missing.slice(0, 3).map(({ name }) => JSON.stringify(truncateSentence(name, 40))))}`;
  const most = misses.length > 1 ? 36 : 80;
  const shown = [...new Set(misses.map((miss) => formatCommand(miss, most)))];
  const listed = shown.length > 3 ? [...shown.slice(0, 2), `${shown.length - 2} more`] : shown;
  const hint = misses.find(({ name }) =>
    lists.some(({ safeBins }) => safeBins.has(programBaseName(name))),
  )?.notHarmless;
  return `${joinWords(listed)} ${shown.length > 1 ? "are" : "is"} not listed${hint === undefined ? "" : ` (${hint})`}`;
}

export function admitsCommand(
  { byProgram, others, safeBins, trustedDirs }: CommandList,
  command: PlannedCommand,
): boolean {
  const { name, path, builtin, harmless, nested } = command;
  const isPlain = plainBuiltins.has(name) || (harmless === true && plainWhenHarmless.has(name));
  if (builtin === true && path === undefined && isPlain) return true;
  const fits = (pattern: CommandPattern) => permitsCommand(pattern, command);
  if (byProgram.get(name)?.some(fits) === true || others.some(fits)) return true;
  if (path === undefined) return false;
  // The commands of its text are judged one by one.
  if (nested === true) return true;
  if (byProgram.get(path)?.some(fits) === true) return true;
  return (
    harmless === true &&
    safeBins.has(programBaseName(path)) &&
    trustedDirs.has(path.slice(0, path.lastIndexOf("/")) || "/")
  );
}
