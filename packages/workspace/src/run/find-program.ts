import { delimiter, resolve } from "node:path";
import { RunnerError } from "../runner-error.ts";
import { isExecutable } from "../system/host-program.ts";

/**
 * The file a program name stands for, as the system would find it.
 *
 * @throws RunnerError `PROGRAM_NOT_FOUND`
 */
export function findProgram(name: string, path: string | undefined, cwd: string): string {
  const folders = name.includes("/") ? [""] : (path ?? "/usr/bin:/bin").split(delimiter);
  const found = folders.map((folder) => resolve(cwd, folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new RunnerError("PROGRAM_NOT_FOUND", `there is no program ${JSON.stringify(name)}`);
}
