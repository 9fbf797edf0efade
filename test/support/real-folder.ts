import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder by its real path, gone after the test. */
export function realFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
