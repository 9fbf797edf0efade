import { writeFileSync } from "node:fs";
import { UsageError } from "./usage.ts";

/** Writes what was asked for where `--out` says, else to standard output. @throws UsageError */
export function writeOut(path: string | undefined, text: string): void {
  if (path === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(path, text);
  } catch (thrown) {
    throw new UsageError(`--out: cannot write ${path}: ${(thrown as Error).message}.`);
  }
}
