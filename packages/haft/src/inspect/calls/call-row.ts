import { summarizeCall, withoutUndefined } from "@haft/core";
import { isRewind } from "@haft/core/internal/records";
import type { CallRecord } from "@haft/core/kernel";
import type { CallRow } from "@haft/inspector";
import { callInShort } from "../../approvals/call-in-short.ts";
import { changedFiles } from "../../ledger/changed-files.ts";
import { endOfCall } from "../../ledger/end-of-call.ts";

export type FoundCall = CallRecord & { readonly runId: string; readonly sessionKey: string };

export function callRow(call: FoundCall): CallRow {
  const { runId, sessionKey, toolCallId, toolName, createdAt, startedAt, endedAt, code, receipt } = call;
  const { approvalId, decidedBy, parentCallId, duplicateOf, poll, changes } = call;
  return withoutUndefined<CallRow>({
    runId,
    sessionKey,
    toolCallId,
    // Nothing has been recorded of one that has no place yet.
    seq: call.seq > 0 ? call.seq : undefined,
    toolName,
    summary: summaryOf(toolName, call.args),
    stand: endOfCall(call),
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

export function summaryOf(toolName: string, args: unknown): string {
  const line = callInShort(toolName, args ?? {});
  const name = summarizeCall(toolName, {}, { format: "plain" });
  return line.startsWith(name) ? line.slice(name.length).trimStart() : line;
}
