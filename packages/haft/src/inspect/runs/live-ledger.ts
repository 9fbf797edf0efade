import { withoutUndefined } from "@haft/core";
import { fitsCall, pageOf, requireRunOfPlaces } from "@haft/core/internal";
import { coverAndCut } from "@haft/core/internal/records";
import type { CallQuery, CallRecord, LedgerStore, RunRecord, Session } from "@haft/core/kernel";
import type { OpenSession } from "../../host/insides/open-session.ts";

/** What sessions that are open remember, as a ledger has it: for hosts that keep nothing. */
export function liveLedger(
  sessions: () => readonly OpenSession[],
): Pick<LedgerStore, "runs" | "calls" | "run" | "call"> {
  const find = (runId: string) => sessions().find(({ session }) => session.opening === runId);
  return {
    async runs({ sessionKey, limit, after } = {}) {
      const fitting = sessions()
        .filter(({ session }) => sessionKey === undefined || session.key === sessionKey)
        .map(liveRun);
      return pageOf(fitting, ({ openedAt, runId }) => [openedAt, runId], withoutUndefined({ limit, after }));
    },
    async calls(query: CallQuery) {
      requireRunOfPlaces(query);
      const { runId: wanted, sessionKey: key } = query;
      const fitting = sessions().flatMap(({ session }) => {
        const { opening: runId, key: sessionKey } = session;
        if (wanted !== undefined && wanted !== runId) return [];
        if (key !== undefined && key !== sessionKey) return [];
        return liveCalls(session)
          .filter((call) => fitsCall(call, query))
          .map((call) => ({ ...call, runId, sessionKey }));
      });
      return pageOf(fitting, (call) => [call.createdAt, call.runId, call.seq], query);
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
  const { place, cwd } = workspace.describe();
  const { opening: runId, key: sessionKey, facts } = session;
  return {
    runId,
    sessionKey,
    facts,
    workspace: { place, cwd },
    mode: "none",
    openedAt,
    epoch: session.run?.epoch ?? 1,
  };
}

function liveCalls(session: Session): CallRecord[] {
  return session.ledger().map((meta, index) => callOfMeta(meta, index + 1));
}

/** What a session remembers of a call, as a record has it, secrets covered. */
export function callOfMeta(meta: ReturnType<Session["ledger"]>[number], seq: number): CallRecord {
  const { args, result, status, outcome, ...rest } = meta;
  const { decisionId: _, ...known } = rest;
  return withoutUndefined<CallRecord>({
    ...known,
    seq,
    epoch: 1,
    status,
    outcome,
    args: coverAndCut(args),
    result: result === undefined || "elided" in result ? undefined : (coverAndCut(result) as typeof result),
  });
}
