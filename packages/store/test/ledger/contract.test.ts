import { createMemoryStore } from "@haft/core/kernel";
import { describe, expect, test } from "vitest";
import { testLedgerStore } from "../../src/testing/index.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

describe("in memory", () => {
  test.for(testLedgerStore(createMemoryStore))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("in SQLite", () => {
  test.for(testLedgerStore(() => openTestStore(temporaryDatabase()).ledger))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
