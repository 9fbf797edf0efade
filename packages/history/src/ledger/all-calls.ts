import type { CallQuery, CallRecord, LedgerStore } from "@haft/core/kernel";
import { setImmediate as turn } from "node:timers/promises";

/**
 * Iterates over all calls of a query in order. Pages have 1,000 calls.
 *
 * @example
 * ```ts
 * import type { LedgerStore } from "@haft/core/kernel";
 * import { allCalls } from "@haft/history/ledger";
 * declare const ledger: LedgerStore;
 * for await (const call of allCalls(ledger, { toolName: "exec", since: Date.now() - 86_400_000 }))
 *   console.log(call.runId, call.toolCallId);
 * ```
 */
export async function* allCalls(
  ledger: Pick<LedgerStore, "calls">,
  query: Omit<CallQuery, "limit" | "after">,
): AsyncGenerator<CallRecord & { readonly runId: string; readonly sessionKey: string }> {
  for (let after: string | undefined; ;) {
    const page = await ledger.calls({ ...query, limit: 1_000, ...(after !== undefined && { after }) });
    yield* page.items;
    after = page.next;
    if (after === undefined) return;
  }
}

/**
 * Returns all calls of a run in order (`seq`). {@link iterateRunCalls} takes less memory.
 *
 * @example
 * ```ts
 * import type { LedgerStore } from "@haft/core/kernel";
 * import { listRunCalls } from "@haft/history";
 * declare const ledger: LedgerStore;
 * const calls = await listRunCalls(ledger, "0mhv3k2q4d7c1x9a5e");
 * console.log(calls.at(-1)?.toolName);
 * ```
 */
export async function listRunCalls(ledger: Pick<LedgerStore, "calls">, runId: string): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  for await (const call of allCalls(ledger, { runId, order: "oldest" })) calls.push(call);
  return calls.toSorted((one, other) => one.seq - other.seq);
}

const AT_ONCE = 100;

/**
 * Iterates over the calls of a run in order (`seq`). At most 100 are in memory, and other work of the process
 * continues.
 *
 * @example
 * ```ts
 * import type { LedgerStore } from "@haft/core/kernel";
 * import { iterateRunCalls } from "@haft/history";
 * declare const ledger: LedgerStore;
 * let failed = 0;
 * for await (const { outcome } of iterateRunCalls(ledger, "0mhv3k2q4d7c1x9a5e")) if (outcome === "error") failed += 1;
 * ```
 */
export async function* iterateRunCalls(
  ledger: Pick<LedgerStore, "calls">,
  runId: string,
): AsyncGenerator<CallRecord> {
  const edge = async (order: "oldest" | "newest") =>
    (await ledger.calls({ runId, order, limit: 1 })).items[0]?.seq;
  const [first = 1, last = 0] = [await edge("oldest"), await edge("newest")];
  for (let from = first; ; from += AT_ONCE) {
    const part: CallRecord[] = [];
    const seqRange = [from, from + AT_ONCE - 1] as const;
    for await (const call of allCalls(ledger, { runId, seqRange, order: "oldest" })) part.push(call);
    // Clocks may go back, so the newest call need not be last.
    if (part.length === 0 && from > last) return;
    yield* part.toSorted((one, other) => one.seq - other.seq);
    await turn();
  }
}
