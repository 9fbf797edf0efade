import type { CallRecord, PastCall } from "../../contract/ledger-port.ts";

/** Marks a call of a dead holder as failed with unknown effects; a waiting call stays. @param at Epoch milliseconds. */
export function toInterruptedCall(call: CallRecord, at: number): CallRecord {
  if (call.status !== "executing") return call;
  return {
    ...call,
    status: "failed",
    outcome: "error",
    code: "INTERRUPTED",
    category: "operational",
    receipt: "unknown",
    endedAt: at,
  };
}

export function createGapRecord(position: Pick<CallRecord, "seq" | "epoch">, at: number): CallRecord {
  const { seq, epoch } = position;
  return { seq, epoch, toolCallId: `gap#${seq}`, toolName: "", status: "gap", createdAt: at, endedAt: at };
}

export function toPastCall(call: CallRecord): PastCall {
  const {
    args: _args,
    received: _received,
    tool: _tool,
    sender: _sender,
    decision: _decision,
    plan: _plan,
    ...others
  } = call;
  const { result: _result, hosts: _hosts, grantIds: _grantIds, ...past } = others;
  return past;
}
