import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What a provider is sent, from a file that can be looked at. With `HAFT_GOLDEN=write` the file is written.
 *
 * @param folder of the test
 * @param sent for the file; what JSON makes of it is what is compared
 */
export function golden(folder: string, name: string, sent: unknown): { sent: unknown; file: unknown } {
  const path = join(folder, "golden", `${name}.json`);
  const text = `${JSON.stringify(sent, null, 2)}\n`;
  if (process.env["HAFT_GOLDEN"] === "write") writeFileSync(path, text);
  return { sent: JSON.parse(text), file: JSON.parse(readFileSync(path, "utf8")) };
}
