import type { LedgerStore } from "@haft/core/internal";
import type { StoreCase } from "../store-case.ts";
import { CALL_CASES } from "./call-cases.ts";
import { RUN_CASES } from "./run-cases.ts";

/**
 * What every store of ledgers does, whatever it keeps them in: for authors of stores.
 *
 * ```ts fragment
 * for (const { name, run } of testLedgerStore(open)) test(name, run);
 * ```
 *
 * @param open a store that has nothing yet; closed here, and removed by whoever made it
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
