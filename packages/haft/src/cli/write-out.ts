import { replaceFile } from "@haft/system";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { commandError } from "../errors.ts";
import { UsageError } from "./usage.ts";

/**
 * Replaces a file atomically.
 *
 * @throws UsageError if the path cannot be a file; HaftError `FILE_UNWRITABLE` if the write fails
 */
export function writeOut(path: string | undefined, text: string): void {
  if (path === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    const isStream = existsSync(path) && !statSync(path).isFile();
    if (isStream) writeFileSync(path, text);
    else replaceFile(path, text);
  } catch (thrown) {
    const { code = "", message } = thrown as NodeJS.ErrnoException;
    const what = `--out: cannot write ${path}: ${message}.`;
    if (NOT_A_FILE.has(code)) throw new UsageError(what);
    throw commandError("FILE_UNWRITABLE", what, {
      fix: "Free some space, or name a file that this user can write.",
      receipt: "none",
    });
  }
}

export function print(json: boolean | undefined, data: unknown, text: () => string): void {
  console.log(json ? JSON.stringify(data) : text());
}

const NOT_A_FILE = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ENAMETOOLONG", "ELOOP"]);

export function firstSentence(description: string): string {
  const end = description.search(/[.\n]/);
  return end < 0 ? description : description.slice(0, end);
}
