import { matchesQuery, paginate, requireRunForRange } from "@haft/core/internal";
import { maskAndTruncate } from "@haft/core/internal/records";
import type { CallQuery, CallRecord, LedgerStore, RunRecord, Session } from "@haft/core/kernel";
import type { OpenSession } from "@haft/host/internal/host";
import { withoutUndefined } from "@haft/utils";

/** Presents sessions' calls like a ledger, for hosts without records. */
export function liveLedger(
  sessions: () => readonly OpenSession[],
): Pick<LedgerStore, "runs" | "calls" | "run" | "call"> {
  const find = (runId: string) => sessions().find(({ session }) => session.opening === runId);
  return {
    async runs({ sessionKey, limit, after } = {}) {
      const fitting = sessions()
        .filter(({ session }) => sessionKey === undefined || session.key === sessionKey)
        .map(liveRun);
      return paginate(
        fitting,
        ({ openedAt, runId }) => [openedAt, runId],
        withoutUndefined({ limit, after }),
      );
    },
    async calls(query: CallQuery) {
      requireRunForRange(query);
      const { runId: wanted, sessionKey: key } = query;
      const fitting = sessions().flatMap(({ session }) => {
        const { opening: runId, key: sessionKey } = session;
        if (wanted !== undefined && wanted !== runId) return [];
        if (key !== undefined && key !== sessionKey) return [];
        return liveCalls(session)
          .filter((call) => matchesQuery(call, query))
          .map((call) => ({ ...call, runId, sessionKey }));
      });
      return paginate(fitting, (call) => [call.createdAt, call.runId, call.seq], query);
    },
    async run(runId) {
      const found = find(runId);
      return found && liveRun(found);
    },
    async call(runId, toolCallId) {
      const found = find(runId);
      return found && liveCalls(found.session).find((call) => call.toolCallId === toolCallId);
    },
  };
}

export function liveRun({ session, workspace, openedAt }: OpenSession): RunRecord {
  const { target, cwd } = workspace.describe();
  const { opening: runId, key: sessionKey, facts } = session;
  return {
    runId,
    sessionKey,
    facts,
    workspace: { place: target, cwd },
    mode: "none",
    openedAt,
    epoch: session.run?.epoch ?? 1,
  };
}

function liveCalls(session: Session): CallRecord[] {
  return session.ledger().map((meta, index) => callFromMeta(meta, index + 1));
}

export function callFromMeta(meta: ReturnType<Session["ledger"]>[number], seq: number): CallRecord {
  const { args, result, status, outcome, ...rest } = meta;
  const { decisionId: _, ...known } = rest;
  return withoutUndefined<CallRecord>({
    ...known,
    seq,
    epoch: 1,
    status,
    outcome,
    args: maskAndTruncate(args),
    result:
      result === undefined || "elided" in result ? undefined : (maskAndTruncate(result) as typeof result),
  });
}
