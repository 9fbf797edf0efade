import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { RunnerError } from "../runner-error.ts";

/**
 * The file a program name stands for, as the system would find it.
 *
 * @throws RunnerError `PROGRAM_NOT_FOUND`
 */
export function findProgram(name: string, path: string | undefined, cwd: string): string {
  const folders = name.includes("/") ? [""] : (path ?? "/usr/bin:/bin").split(delimiter);
  for (const folder of folders) {
    const file = resolve(cwd, folder, name);
    if (isProgram(file)) return file;
  }
  throw new RunnerError("PROGRAM_NOT_FOUND", `there is no program ${JSON.stringify(name)}`);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
