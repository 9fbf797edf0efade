import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bench } from "./tool-context.ts";
import type { Bench } from "./tool-context.ts";

/** Writes files, and the folders they need. */
export function tree(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** A {@link bench} with these files in it. */
export function withFiles(
  files: Record<string, string | Uint8Array>,
  options?: Parameters<typeof bench>[0],
): Bench {
  const ready = bench(options);
  tree(ready.folder, files);
  return ready;
}
