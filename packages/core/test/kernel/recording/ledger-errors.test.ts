import { expect, test } from "vitest";
import { HaftError } from "../../../src/contract/errors.ts";
import { ledgerUnavailable, storeError } from "../../../src/kernel/recording/ledger-errors.ts";

test("what helps is what the store says of its own fault", () => {
  const fault = new HaftError("STORE_TOO_NEW", "A newer version wrote it.", {
    category: "operational",
    fix: "Update Haft.",
  });
  expect(storeError(fault)).toMatchObject({ code: "LEDGER_UNAVAILABLE", fix: "Update Haft.", cause: fault });
});

test("without such a fault it is what always helps", () => {
  const { fix } = ledgerUnavailable("it is gone");
  expect(fix).toBeDefined();
  expect(storeError(new Error("EIO"))).toMatchObject({ code: "LEDGER_UNAVAILABLE", fix });
});
