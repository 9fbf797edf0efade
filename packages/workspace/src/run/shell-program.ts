import { RunnerError } from "../runner-error.ts";
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
