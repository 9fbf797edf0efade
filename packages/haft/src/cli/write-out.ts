import { existsSync, statSync, writeFileSync } from "node:fs";
import { writeInFull } from "../plugins/packages/kept-files.ts";
import { UsageError } from "./usage.ts";

/**
 * Writes what was asked for where `--out` says, else to standard output. A file is written in full, or is as it was.
 *
 * @throws UsageError
 */
export function writeOut(path: string | undefined, text: string): void {
  if (path === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    const isStream = existsSync(path) && !statSync(path).isFile();
    if (isStream) writeFileSync(path, text);
    else writeInFull(path, text);
  } catch (thrown) {
    throw new UsageError(`--out: cannot write ${path}: ${(thrown as Error).message}.`);
  }
}
