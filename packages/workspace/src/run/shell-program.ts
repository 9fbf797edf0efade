import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { RunnerError } from "../runner-error.ts";
import { attempt } from "../system/attempt.ts";
import { findHostProgram, isForeignPlace, missing, unchanged } from "../system/host-program.ts";
import { findProgram } from "./find-program.ts";

/** Shells that scripts may be run by without naming a path. */
export const SHELLS = ["sh", "ash", "bash", "dash", "fish", "ksh", "zsh"];

/**
 * The file of the shell that runs a script. It is Haft that starts it, whatever the script is about, so on the host it is
 * found as Haft finds all its programs, and never in a folder where a session works; in a sandbox, where the command's `PATH`
 * says. One that is named by its path is that one.
 *
 * @throws RunnerError `PROGRAM_NOT_FOUND`, `HOST_PROGRAM_REFUSED`, `HOST_PROGRAM_CHANGED`
 */
export function shellProgram(name: string, path: string | undefined, cwd: string): string {
  if (name.includes("/") || isForeignPlace()) return findProgram(name, path, cwd);
  const { program, leftOut = [] } = findHostProgram(name);
  if (program !== undefined) return unchanged(program);
  if (leftOut.length > 0) throw new RunnerError("HOST_PROGRAM_REFUSED", missing(name, leftOut));
  const known = SHELLS.includes(name) ? "" : "; name another shell by its path";
  throw new RunnerError("PROGRAM_NOT_FOUND", `there is no shell ${JSON.stringify(name)}${known}`);
}

/** A shell as it is started. */
export interface Shell {
  /** The file. */
  program: string;
  /** Its name and what it is told before its script. */
  words: readonly string[];
  /** What follows the script: the name it has there, `$0`, unless that is the first word. */
  named: readonly string[];
}

/**
 * Bash reads what it is told to read, and no start file, whatever it takes itself for. It is started by its path, as another
 * shell would start it, and is called what the caller called it.
 *
 * @throws RunnerError as {@link shellProgram}
 */
export function shellFor(name: string, path: string | undefined, cwd: string): Shell {
  const program = shellProgram(name, path, cwd);
  if (basename(name) !== "bash") return { program, words: [name], named: [] };
  return { program, words: [program, "--noprofile", "--norc"], named: [name] };
}

/**
 * A shell that can wait for another and become it, and leaves nothing behind in it: no variable, no count of shells. Dash is
 * known to; `undefined` where `sh` is another one.
 */
export function waitingShell(path: string | undefined, cwd: string): string | undefined {
  const program = attempt(() => shellProgram("sh", path, cwd));
  return program !== undefined && attempt(() => basename(realpathSync.native(program))) === "dash"
    ? program
    : undefined;
}
