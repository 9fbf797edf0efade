import { type AuditEntry, readAuditLog } from "@haft/config";
import { isGuardedCall } from "@haft/config/internal/audit";
import { getErrorMessage } from "@haft/core";
import { matchesQuery, paginate, requireRunForRange } from "@haft/core/internal";
import type { ApprovalStore, CallQuery, LedgerStore, RunRecord, CallRecord } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import { isDeepStrictEqual } from "node:util";
import type { SourceEvent } from "../../source/inspector-source.ts";
import { callRow, type CallWithRun } from "../calls/call-row.ts";

/** In memory. */
const MAX = 5_000;
/** Prefix of hooks. */
const PREFIX = "guard:";

interface GuardedRun {
  run: RunRecord;
  calls: CallWithRun[];
  count: number;
}

/** Presents the audit log's calls like a ledger; allowed calls have unknown outcomes. */
export class GuardedCalls {
  readonly #runs = new Map<string, GuardedRun>();
  readonly #approvals: ApprovalStore | undefined;
  readonly #listeners = new Set<(event: SourceEvent) => void>();
  #count = 0;

  /** @param approvals Answers to hooks. */
  constructor(approvals?: ApprovalStore) {
    this.#approvals = approvals;
  }

  /** Reports new log entries until the signal aborts. */
  async follow(file: string, notify: (event: SourceEvent) => void, signal: AbortSignal): Promise<void> {
    const begun = Date.now();
    this.#listeners.add(notify);
    signal.addEventListener("abort", () => this.#listeners.delete(notify));
    try {
      for await (const item of readAuditLog(file, { follow: true, signal })) {
        if ("problem" in item)
          notify({ type: "notice", about: "audit", level: "warning", message: item.problem });
        else if (isGuardedCall(item.entry)) {
          const call = this.#add(item.entry, item.entry.guard);
          const over = this.#answeredBy(item.entry, item.entry.guard);
          if (item.entry.at < begun) continue;
          for (const one of [...over, call]) notify({ type: "call", call: callRow(one) });
        }
      }
    } catch (thrown) {
      const message = `The audit log cannot be read: ${getErrorMessage(thrown)}`;
      notify({ type: "notice", about: "audit", level: "error", message });
    }
  }

  addTo(ledger: Pick<LedgerStore, "runs" | "calls" | "run" | "call">): typeof ledger {
    return {
      runs: async (query = {}) => {
        const { after, limit = Number.POSITIVE_INFINITY, ...rest } = query;
        if (after !== undefined && !isGuarded(after)) return ledger.runs(query);
        const listed = this.#listed(rest.sessionKey);
        // A forgotten cursor was the oldest run.
        const at = listed.findIndex(({ runId }) => runId === after);
        const from = after === undefined ? 0 : at < 0 ? listed.length : at + 1;
        const items = listed.slice(from, from + limit);
        if (from + items.length < listed.length || items.length === limit)
          return { items, next: items.at(-1)!.runId };
        const left = Number.isFinite(limit) ? { limit: limit - items.length } : {};
        const page = await ledger.runs({ ...rest, ...left });
        return { ...page, items: [...items, ...page.items] };
      },
      calls: async (query) => {
        if (!this.#has(query)) return ledger.calls(query);
        await this.settle();
        return this.#calls(query);
      },
      run: async (runId) => this.#runs.get(runId)?.run ?? ledger.run(runId),
      call: async (runId, toolCallId) => {
        if (!isGuarded(runId)) return ledger.call(runId, toolCallId);
        await this.settle();
        return this.#runs.get(runId)?.calls.find((call) => call.toolCallId === toolCallId);
      },
    };
  }

  async settle(): Promise<void> {
    for (const { calls } of this.#runs.values())
      for (const call of calls) {
        if (call.status !== "pending" || call.approvalId === undefined) continue;
        const settled = await settledCall(call, this.#approvals).catch(() => undefined);
        const index = calls.indexOf(call);
        if (settled === undefined || index < 0) continue;
        calls[index] = settled;
        for (const notify of this.#listeners) notify({ type: "call", call: callRow(settled) });
      }
  }

  /** The repeated call consumed an answer. */
  #answeredBy(entry: AuditEntry, { answered }: NonNullable<AuditEntry["guard"]>): CallWithRun[] {
    if (answered === undefined) return [];
    const calls = this.#runs.get(entry.runId)?.calls ?? [];
    const over: CallWithRun[] = [];
    for (const [index, call] of calls.entries()) {
      if (call.status !== "pending" || !isSameCall(call, entry)) continue;
      calls[index] = answeredCall(call, answered, { at: entry.at });
      over.push(calls[index]);
    }
    return over;
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
    requireRunForRange(query);
    const name = query.runId ?? `${PREFIX}${query.sessionKey}`;
    const fitting = (this.#runs.get(name)?.calls ?? []).filter((call) => matchesQuery(call, query));
    return Promise.resolve(paginate(fitting, (call) => [call.createdAt, call.seq], query));
  }

  #add(entry: AuditEntry, guard: NonNullable<AuditEntry["guard"]>): CallWithRun {
    const { audit: _, at, pid: _pid, session, guard: _guard, ...record } = entry;
    const { runId, sessionKey } = record;
    const before = this.#runs.get(runId);
    const count = (before?.count ?? 0) + 1;
    const isThrough = record.status === "executing";
    const call = withoutUndefined<CallWithRun>({
      ...record,
      seq: count,
      // Hooks do not learn outcomes.
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
    // Newest run last.
    this.#runs.delete(runId);
    const calls = before?.calls ?? [];
    calls.push(call);
    this.#runs.set(runId, { run, calls, count });
    if (++this.#count > MAX) this.#forgetOldest();
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

function isSameCall(
  one: Pick<CallRecord, "toolName" | "args">,
  other: Pick<CallRecord, "toolName" | "args">,
): boolean {
  return one.toolName === other.toolName && isDeepStrictEqual(one.args, other.args);
}

/** An allowed call's repetition is a separate call. */
function answeredCall(
  call: CallWithRun,
  answer: "allow" | "deny",
  { at, by }: { at: number; by?: string | undefined },
): CallWithRun {
  const { outcome: _, ...rest } = call;
  const known = { ...rest, endedAt: at, decidedBy: by ?? "a person" };
  if (answer === "allow") return { ...known, status: "completed" };
  return { ...known, status: "failed", outcome: "blocked", code: "APPROVAL_DENIED" };
}

async function settledCall(
  call: CallWithRun,
  approvals: ApprovalStore | undefined,
): Promise<CallWithRun | undefined> {
  const found = await approvals?.find?.(call.approvalId!);
  if (found === undefined) return undefined;
  const { agentId, sessionKey, exactKey, expiresAt } = found.request;
  if (found.state === "expired")
    return { ...call, status: "failed", outcome: "cancelled", code: "APPROVAL_TIMEOUT", endedAt: expiresAt };
  if (found.state === "withdrawn") return { ...call, status: "failed", outcome: "cancelled" };
  if (found.state !== "answered") return undefined;
  const stored = await approvals?.peekAnswer?.({ agentId, sessionKey, exactKey: exactKey ?? "" });
  if (stored === undefined || stored.approvalId !== call.approvalId) return undefined;
  const { decision, by } = stored.answer;
  return answeredCall(call, decision === "deny" ? "deny" : "allow", { at: Date.now(), by });
}
