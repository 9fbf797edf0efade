import { createMemoryApprovals } from "@haft/core/kernel";
import { describe, expect, test } from "vitest";
import { testApprovalStore } from "../../src/testing/index.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";

describe("in memory", () => {
  const open = () => {
    const store = createMemoryApprovals();
    return { store, other: store };
  };
  test.for(testApprovalStore(open))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("in SQLite", () => {
  const open = () => {
    const path = temporaryDatabase();
    return { store: openTestStore(path).approvals, other: openTestStore(path).approvals };
  };
  test.for(testApprovalStore(open))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
