import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ledgerStoreContract } from "../../../core/test/contract/ledger-store.ts";
import { openSqliteStore } from "../../src/index.ts";

ledgerStoreContract("in SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = openSqliteStore({ path: join(folder, "haft.db") });
  return store.ledger;
});
