import { messageOf, withoutUndefined } from "@haft/core";
import { fitsCall, pageOf, requireRunOfPlaces } from "@haft/core/internal";
import type { CallQuery, LedgerStore, RunRecord } from "@haft/core/kernel";
import type { Told } from "@haft/inspector";
import { type AuditEntry, isAgentsCall } from "../../audit/audit-entry.ts";
import { readAuditLog } from "../../audit/read-audit-log.ts";
import { callRow, type FoundCall } from "../calls/call-row.ts";

/** Calls of other people's agents that are kept in memory, the newest. */
const MOST = 5_000;
/** As their hooks name what they are asked in. */
const PREFIX = "guard:";

interface GuardedRun {
  run: RunRecord;
  calls: FoundCall[];
  /** How many there were, those that are forgotten again among them. */
  count: number;
}

/**
 * Calls that coding agents asked their hooks about, out of the audit log, as a ledger has its own: what was decided is known of
 * them, and not what came of those that were let through.
 */
export class GuardedCalls {
  readonly #runs = new Map<string, GuardedRun>();
  #count = 0;

  /** Reads the log from its beginning, and on, until the signal aborts; tells what comes after that. */
  async follow(file: string, tell: (event: Told) => void, signal: AbortSignal): Promise<void> {
    const begun = Date.now();
    try {
      for await (const item of readAuditLog(file, { follow: true, signal })) {
        if ("problem" in item)
          tell({ type: "notice", about: "audit", level: "warning", message: item.problem });
        else if (isAgentsCall(item.entry)) {
          const call = this.#add(item.entry, item.entry.guard);
          if (item.entry.at >= begun) tell({ type: "call", call: callRow(call) });
        }
      }
    } catch (thrown) {
      const message = `The audit log cannot be read: ${messageOf(thrown)}`;
      tell({ type: "notice", about: "audit", level: "error", message });
    }
  }

  /** The same ledger, with these calls in runs of their own. */
  with(ledger: Pick<LedgerStore, "runs" | "calls" | "run" | "call">): typeof ledger {
    return {
      runs: async (query = {}) => {
        const { after, limit = Number.POSITIVE_INFINITY, ...rest } = query;
        if (after !== undefined && !isGuarded(after)) return ledger.runs(query);
        const own = this.#listed(rest.sessionKey);
        // One that is forgotten by now was the oldest: nothing comes after it.
        const at = own.findIndex(({ runId }) => runId === after);
        const from = after === undefined ? 0 : at < 0 ? own.length : at + 1;
        const items = own.slice(from, from + limit);
        if (from + items.length < own.length || items.length === limit)
          return { items, next: items.at(-1)!.runId };
        const left = Number.isFinite(limit) ? { limit: limit - items.length } : {};
        const page = await ledger.runs({ ...rest, ...left });
        return { ...page, items: [...items, ...page.items] };
      },
      calls: async (query) => (this.#has(query) ? this.#calls(query) : ledger.calls(query)),
      run: async (runId) => this.#runs.get(runId)?.run ?? ledger.run(runId),
      call: async (runId, toolCallId) =>
        this.#runs.get(runId)?.calls.find((call) => call.toolCallId === toolCallId) ??
        (isGuarded(runId) ? undefined : ledger.call(runId, toolCallId)),
    };
  }

  #listed(sessionKey: string | undefined): RunRecord[] {
    const runs = [...this.#runs.values()].map(({ run }) => run);
    return runs.filter((run) => sessionKey === undefined || run.sessionKey === sessionKey).toReversed();
  }

  #has({ runId, sessionKey }: CallQuery): boolean {
    if (runId !== undefined) return isGuarded(runId);
    return sessionKey !== undefined && this.#runs.has(`${PREFIX}${sessionKey}`);
  }

  #calls(query: CallQuery): ReturnType<LedgerStore["calls"]> {
    requireRunOfPlaces(query);
    const name = query.runId ?? `${PREFIX}${query.sessionKey}`;
    const fitting = (this.#runs.get(name)?.calls ?? []).filter((call) => fitsCall(call, query));
    return Promise.resolve(pageOf(fitting, (call) => [call.createdAt, call.seq], query));
  }

  #add(entry: AuditEntry, guard: NonNullable<AuditEntry["guard"]>): FoundCall {
    const { audit: _, at, pid: _pid, session, guard: _guard, ...record } = entry;
    const { runId, sessionKey } = record;
    const before = this.#runs.get(runId);
    const count = (before?.count ?? 0) + 1;
    const isThrough = record.status === "executing";
    const call = withoutUndefined<FoundCall>({
      ...record,
      seq: count,
      // It is over for the hook: what the agent did then, nobody is told.
      ...(isThrough && { status: "completed" as const, endedAt: at }),
    });
    const run: RunRecord = {
      runId,
      sessionKey,
      facts: session,
      workspace: { place: guard.agent, cwd: guard.folder },
      mode: "plan",
      openedAt: before?.run.openedAt ?? at,
      epoch: 1,
      closedAt: at,
    };
    // The newest run is the last one.
    this.#runs.delete(runId);
    const calls = before?.calls ?? [];
    calls.push(call);
    this.#runs.set(runId, { run, calls, count });
    if (++this.#count > MOST) this.#forgetOldest();
    return call;
  }

  #forgetOldest(): void {
    for (const [runId, { calls }] of this.#runs) {
      calls.shift();
      this.#count--;
      if (calls.length === 0) this.#runs.delete(runId);
      return;
    }
  }
}

function isGuarded(runId: string): boolean {
  return runId.startsWith(PREFIX);
}
