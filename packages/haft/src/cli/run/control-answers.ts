import type { ApprovalRequestRecord } from "@haft/core";
import { choicesOf } from "@haft/core/internal";
import { formatApproval, type Session } from "@haft/core/kernel";

// Answers to control lines: each names the control it answers, so that it is not taken for the answer to a call.

export function approvalFacts(request: ApprovalRequestRecord) {
  const { approvalId, toolCallId, tool, reason, expiresAt, offers } = request;
  return {
    approvalId,
    toolCallId,
    toolName: tool.name,
    reason,
    decisions: choicesOf(request),
    grants: [...new Set(offers.map(({ kind }) => kind))],
    expiresAt,
    text: formatApproval(request),
  };
}

export function approvalsLine(session: Session): string {
  return JSON.stringify({
    control: "approvals",
    approvals: session.pendingApprovals().map(approvalFacts),
  });
}

/** All calls; without `wrap` as the bare list it always was. */
export function ledgerLine(session: Session, wrap: boolean): string {
  const calls = session.ledger();
  return JSON.stringify(wrap ? { control: "ledger", calls } : calls);
}

export function runLine(session: Session): string {
  const { runId = null, epoch = null } = session.run ?? {};
  const calls = session.ledger();
  return JSON.stringify({
    control: "run",
    runId,
    epoch,
    sessionKey: session.key,
    calls: calls.length,
    waiting: session.pendingApprovals().map(({ approvalId, toolCallId }) => ({ approvalId, toolCallId })),
    interrupted: calls.filter(({ code }) => code === "INTERRUPTED").map(({ toolCallId }) => toolCallId),
  });
}
