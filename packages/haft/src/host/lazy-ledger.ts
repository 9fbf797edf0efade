import type { LedgerStore } from "@haft/core/kernel";

/** A store that is opened when it is first asked. Whoever opened it closes it. */
export function lazyLedger(open: () => Promise<LedgerStore>): LedgerStore {
  return {
    open: async (opening) => (await open()).open(opening),
    runs: async (query) => (await open()).runs(query),
    calls: async (query) => (await open()).calls(query),
    run: async (runId) => (await open()).run(runId),
    call: async (runId, toolCallId) => (await open()).call(runId, toolCallId),
    forget: async (which) => (await open()).forget(which),
    close: async () => {},
  };
}
