import type { ApprovalRequestRecord } from "../approval-port.ts";
import { escapeInvisible } from "../format/visible-text.ts";
import { textOf } from "../result.ts";

/** What is asked, as a person reads it in a chat or a terminal: the whole of it, and how to answer. */
export function formatApproval(request: ApprovalRequestRecord): string {
  const lines = [
    `Approval required (id ${request.approvalId}).`,
    `Tool: ${request.tool.name} (${request.sessionKind} session ${escapeInvisible(request.sessionKey)}, agent ${escapeInvisible(request.agentId)})`,
    textOf(request.preview),
    `Reason: ${escapeInvisible(request.reason)}`,
    `Reply with: /approve ${request.approvalId} ${choicesOf(request).join("|")}`,
    ...alwaysNotes(request),
  ];
  return lines.join("\n");
}

/** The decisions that are possible here. */
export function choicesOf({ offers }: Pick<ApprovalRequestRecord, "offers">): string[] {
  return offers.length > 0 ? ["allow-once", "allow-always", "deny"] : ["allow-once", "deny"];
}

function alwaysNotes({ offers, noAlways, noProgramGrant }: ApprovalRequestRecord): string[] {
  if (noAlways !== undefined) return [`allow-always is not possible: ${noAlways}.`];
  const programs = offers.filter(({ kind }) => kind === "program").map(({ summary }) => summary);
  if (programs.length > 0) {
    return [
      `allow-always covers this exact call; "allow-always program" covers ${programs.map(escapeInvisible).join(", ")}, whatever the arguments.`,
    ];
  }
  const why = noProgramGrant === undefined ? "" : ` It cannot cover more: ${noProgramGrant}.`;
  return offers.length > 0 ? [`allow-always covers this exact call.${why}`] : [];
}
