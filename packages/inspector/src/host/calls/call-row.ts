import { summarizeCall } from "@haft/core";
import { isRewind } from "@haft/core/internal/records";
import type { CallRecord } from "@haft/core/kernel";
import { getCallStatus, changedFiles } from "@haft/history/ledger";
import { formatCallLine } from "@haft/host/internal/approvals";
import { withoutUndefined } from "@haft/utils";
import type { CallRow } from "../../wire/api.ts";

export type CallWithRun = CallRecord & { readonly runId: string; readonly sessionKey: string };

export function callRow(call: CallWithRun): CallRow {
  const { runId, sessionKey, toolCallId, toolName, createdAt, startedAt, endedAt, code, receipt } = call;
  const { approvalId, decidedBy, parentCallId, duplicateOf, poll, changes } = call;
  return withoutUndefined<CallRow>({
    runId,
    sessionKey,
    toolCallId,
    // 0: not recorded yet.
    seq: call.seq > 0 ? call.seq : undefined,
    toolName,
    summary: formatCallSummary(toolName, call.args),
    stand: getCallStatus(call),
    createdAt,
    startedAt,
    endedAt,
    code,
    receipt,
    decision: call.decision?.effect,
    approvalId,
    decidedBy,
    granted: (call.grantIds?.length ?? 0) > 0 ? true : undefined,
    parentCallId,
    duplicateOf,
    loop: code?.startsWith("LOOP_") === true ? true : undefined,
    poll,
    changes,
    undoable: changes === true && receipt === "committed" && changedFiles(call).length > 0 ? true : undefined,
    isUndo: isRewind(call) ? true : undefined,
  });
}

export function formatCallSummary(toolName: string, args: unknown): string {
  const line = formatCallLine(toolName, args ?? {});
  const name = summarizeCall(toolName, {}, { format: "plain" });
  return line.startsWith(name) ? line.slice(name.length).trimStart() : line;
}
