import type { CallQuery, CallRecord, LedgerStore } from "@haft/core/kernel";

/** Every call that fits, page by page, so that a long run is never in memory as a whole. */
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

/** The calls of a run, in order. */
export async function callsOfRun(ledger: Pick<LedgerStore, "calls">, runId: string): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  for await (const call of allCalls(ledger, { runId, order: "oldest" })) calls.push(call);
  return calls.toSorted((one, other) => one.seq - other.seq);
}
