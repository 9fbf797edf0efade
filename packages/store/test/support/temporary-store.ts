import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../src/index.ts";

/** The path of a database that is not there yet. */
export function temporaryDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "haft.db");
}

/** The store in it, with what it warned of. */
export function openTestStore(path: string): SqliteStore & { warnings: string[] } {
  const warnings: string[] = [];
  const store = openSqliteStore({ path, logger: { warn: (message) => void warnings.push(message) } });
  onTestFinished(() => store.close());
  return { ...store, warnings };
}
