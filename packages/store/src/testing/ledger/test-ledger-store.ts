import type { LedgerStore } from "@haft/core/internal";
import type { StoreCase } from "../store-case.ts";
import { CALL_CASES } from "./call-cases.ts";
import { RUN_CASES } from "./run-cases.ts";

/**
 * Returns the test cases for ledger stores.
 *
 * @param open opens an empty store; a test case closes it, the caller removes it
 *
 * @example
 * ```ts
 * import { openSqliteStore } from "@haft/store";
 * import { testLedgerStore } from "@haft/store/testing";
 * import { test } from "vitest";
 * let opened = 0;
 * const cases = testLedgerStore(() => openSqliteStore({ path: `/tmp/ledger-${opened++}.db` }).ledger);
 * for (const { name, run } of cases) test(name, run);
 * ```
 */
export function testLedgerStore(open: () => LedgerStore | Promise<LedgerStore>): StoreCase[] {
  const groups = { runs: RUN_CASES, calls: CALL_CASES };
  return Object.entries(groups).flatMap(([group, cases]) =>
    Object.entries(cases).map(([name, run]) => ({
      name: `${group}: ${name}`,
      async run() {
        const store = await open();
        try {
          await run(store);
        } finally {
          await store.close();
        }
      },
    })),
  );
}
