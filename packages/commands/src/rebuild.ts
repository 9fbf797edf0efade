import { commandError } from "./errors.ts";
import type { CommandOutline, OutlinedCommand } from "./outline.ts";
import { locateFile } from "./words/names.ts";
import { quoteWord } from "./words/quote.ts";

/** What to run: `argv` without a shell, or a `script` for the shell of the outline. */
export type RebuiltCommand = { argv: readonly string[] } | { script: string; shell: string };

/**
 * What runs exactly the commands of a clear outline: each program by its absolute path, each word quoted, so that no
 * shell finds anything in it to expand, to look up or to replace.
 *
 * `executableOf` answers where an entry of `OutlinedCommand.programs` was found: absolute, and with its links as they
 * are, because some programs look at the name they were started by.
 *
 * Codes: `COMMAND_UNCLEAR`, `PROGRAM_UNRESOLVED`.
 */
export function rebuildCommand(
  outline: CommandOutline,
  executableOf: (program: string) => string | undefined,
): RebuiltCommand {
  if (outline.unclear !== undefined || outline.commands.length === 0) {
    const why = outline.unclear ?? "it is empty";
    throw commandError("COMMAND_UNCLEAR", `The command cannot be rebuilt: ${why}.`);
  }
  const [only] = outline.commands;
  const isPlain = outline.commands.length === 1 && only !== undefined && only.redirects.length === 0;
  if (isPlain && !only.builtin && !isTimed(only)) return { argv: wordsOf(only, executableOf) };
  const lines = outline.commands.map((command, at) => {
    const words = wordsOf(command, executableOf).map(quoteWord);
    const time = isTimed(command) ? ["time"] : [];
    const join = outline.joins[at];
    return (
      [...time, ...words, ...command.redirects].join(" ") +
      (join === undefined ? "" : join === ";" ? "\n" : ` ${join} `)
    );
  });
  return { script: lines.join(""), shell: outline.shell };
}

/** `time` is a word of the shell here, and no program. */
function isTimed(command: OutlinedCommand): boolean {
  return command.through.length > command.wrappers.length;
}

function wordsOf(command: OutlinedCommand, executableOf: (program: string) => string | undefined): string[] {
  const { argv, builtin, name, wrappers, programs } = command;
  if (builtin) {
    // Absolute, so that no variable (CDPATH) sends it elsewhere.
    return name === "cd" ? ["cd", locateFile(argv[1] ?? "", command.cwd)] : [...argv];
  }
  const parts = [...wrappers, argv];
  return parts.flatMap((words, at) => [locate(programs[at] ?? "", executableOf), ...words.slice(1)]);
}

function locate(program: string, executableOf: (program: string) => string | undefined): string {
  const path = executableOf(program);
  if (path?.startsWith("/")) return path;
  throw commandError("PROGRAM_UNRESOLVED", `It is not known where ${program} is.`);
}
