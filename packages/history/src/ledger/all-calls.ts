import type { CallQuery, CallRecord, LedgerStore } from "@haft/core/kernel";
import { setImmediate as turn } from "node:timers/promises";

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

export async function listRunCalls(ledger: Pick<LedgerStore, "calls">, runId: string): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  for await (const call of allCalls(ledger, { runId, order: "oldest" })) calls.push(call);
  return calls.toSorted((one, other) => one.seq - other.seq);
}

const AT_ONCE = 100;

/** The same, of which some are in memory at a time. Other work of this program goes on in between. */
export async function* iterateRunCalls(
  ledger: Pick<LedgerStore, "calls">,
  runId: string,
): AsyncGenerator<CallRecord> {
  const edge = async (order: "oldest" | "newest") =>
    (await ledger.calls({ runId, order, limit: 1 })).items[0]?.seq;
  const [first = 1, last = 0] = [await edge("oldest"), await edge("newest")];
  for (let from = first; ; from += AT_ONCE) {
    const part: CallRecord[] = [];
    const places = [from, from + AT_ONCE - 1] as const;
    for await (const call of allCalls(ledger, { runId, seqRange: places, order: "oldest" })) part.push(call);
    // Clocks are set back, so that the newest need not be the last.
    if (part.length === 0 && from > last) return;
    yield* part.toSorted((one, other) => one.seq - other.seq);
    await turn();
  }
}
