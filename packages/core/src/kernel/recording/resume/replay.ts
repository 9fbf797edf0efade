import type { CallRecord, PastCall } from "../../../contract/ledger-port.ts";
import { type ContentBlock, text, type ToolOutcome } from "../../../contract/result.ts";
import { Call } from "../../call.ts";
import { createPendingOutcome } from "../../outcome.ts";
import type { SessionState } from "../../session-state.ts";
import { ledgerStoreError } from "../ledger-errors.ts";

export async function replay(
  session: SessionState,
  past: PastCall,
  answeredAs: string,
): Promise<ToolOutcome> {
  const live = session.running.find(past.toolCallId);
  if (live instanceof Call) return { ...(await stillRunning(session, live)), replayed: true };
  let record: CallRecord | undefined;
  let problem: string | undefined;
  try {
    record = await session.recorder?.findRecord(past.toolCallId);
  } catch (thrown) {
    problem = ledgerStoreError(thrown).message;
  }
  const outcome = outcomeOf(record ?? past, answeredAs, problem);
  const { toolCallId, toolName } = outcome;
  if (session.isObserved) session.emit({ type: "tool-end", toolCallId, toolName, outcome });
  return outcome;
}

async function stillRunning(session: SessionState, call: Call): Promise<ToolOutcome> {
  const waiting = [...session.waiting.values()].find((one) => one.call === call);
  if (waiting === undefined) return call.waitForOutcome();
  if (session.settings.approvalMode !== "wait") return createPendingOutcome(call, waiting.request);
  await waiting.settled;
  return waiting.isLeft ? createPendingOutcome(call, waiting.request) : call.waitForOutcome();
}

function outcomeOf(record: CallRecord, toolCallId: string, problem: string | undefined): ToolOutcome {
  const { toolName, outcome = "error", code = "INTERRUPTED", category = "operational" } = record;
  const { receipt = "unknown", createdAt, endedAt = createdAt } = record;
  const { content, details } = storedResult(record, problem);
  const base = { toolCallId, toolName, content, details, durationMs: endedAt - createdAt, receipt };
  if (record.status === "pending" && record.approvalId !== undefined) {
    const { approvalId } = record;
    return {
      ...base,
      kind: "pending",
      code: "PENDING_APPROVAL",
      approvalId,
      receipt: "none",
      replayed: true,
    };
  }
  if (outcome === "ok") return { ...base, kind: "ok", replayed: true };
  if (outcome === "error") return { ...base, kind: "error", code, category, replayed: true };
  return { ...base, kind: outcome === "blocked" ? "blocked" : "cancelled", code, replayed: true };
}

function storedResult(
  record: CallRecord,
  problem: string | undefined,
): { content: ContentBlock[]; details: Record<string, unknown> } {
  const { result, toolCallId, code } = record;
  const note = `This call was made before (${toolCallId}). Its recorded result is returned; it did not run again.`;
  if (result !== undefined && "content" in result) {
    const details = result.details as Record<string, unknown>;
    return { content: [...result.content, text(`[Note: ${note}]`)], details: { ...details } };
  }
  const details = code === undefined ? {} : { error: code };
  if (result === undefined)
    return { content: [text(`[Note: ${note} ${whyNothing(record, problem)}]`)], details };
  const { head, tail, bytes, sha256 } = result;
  const rest = `At most the first 2,000 and the last 1,000 characters of its result (${bytes} bytes, SHA-256 ${sha256.slice(0, 16)}…) are stored.`;
  const shown = [head, ...(tail === undefined ? [] : ["[…]", tail])].filter((part) => part !== "");
  return {
    content: [...shown.map((part) => text(part)), text(`[Note: ${note} ${rest}]`)],
    details: { ...result.details, ...details },
  };
}

function whyNothing({ code, status }: CallRecord, problem: string | undefined): string {
  if (problem !== undefined) return `Its result cannot be read: ${problem}`;
  if (status === "pending") return "It still waits for approval.";
  return code === "INTERRUPTED"
    ? "It was interrupted when its process ended: its effects are unknown, so check before you repeat it."
    : "Its result was not stored.";
}
