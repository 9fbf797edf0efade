import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Values a property once failed on; or, where they cannot be written as JSON, the seed and the run that made them, which
 * holds as long as the generators stay as they are.
 */
export type KeptExample = { why: string } & (
  | { readonly values: readonly unknown[] }
  | { readonly seed: number; readonly run: number }
);

const root = fileURLToPath(new URL("../..", import.meta.url));

/** By test file, from the root, and by property: the names of its suites and its own, joined by ` > `. */
export const keptExamples = JSON.parse(
  readFileSync(new URL("kept-examples.json", import.meta.url), "utf8"),
) as Readonly<Record<string, Readonly<Record<string, readonly KeptExample[]>>>>;

/** Where a test file is in this repository, with `/` on every system. */
export function fileInRepository(path: string): string {
  return relative(root, path).replaceAll("\\", "/");
}

export function keptExamplesOf(file: string, property: string): readonly KeptExample[] {
  return keptExamples[file]?.[property] ?? [];
}
