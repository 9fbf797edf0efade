import { escapeInvisible, longestBacktickRun } from "@haft/utils";
import type { ApprovalRequestRecord } from "../contract/approval-port.ts";
import { formatPlain } from "../format/plain.ts";
import { redactSecrets, describeMaskedSecrets } from "../format/redact.ts";

const LINE_LIMIT = 500;
/** Wraps lines of the preview: a terminal would wrap them without the bar. */
const COLUMNS = 76;

/**
 * Formats a request for the person who decides: preview, risks, tool, reason and `/approve` command. A bar before each line marks the
 * preview.
 *
 * @example
 * ```ts
 * import { formatApproval, type Session } from "@haft/core/kernel";
 *
 * // Writes what waits for a decision in a session.
 * export function showPending(session: Session): void {
 *   for (const request of session.pendingApprovals()) console.log(formatApproval(request));
 * }
 * ```
 */
export function formatApproval(request: ApprovalRequestRecord): string {
  const { approvalId, tool, sessionKind, sessionKey, agentId, preview, reason } = request;
  const shown = formatPlain(preview);
  const note = describeMaskedSecrets(shown);
  const lines = [
    `Approval required (id ${approvalId}).`,
    ...framed(shown),
    ...(note === undefined ? [] : [note]),
    ...riskLines(request),
    `Tool: ${tool.name} (${sessionKind} session ${promptLine(sessionKey)}, agent ${promptLine(agentId)})`,
    `Reason: ${promptLine(reason)}`,
    `Reply with: /approve ${approvalId} ${listChoices(request).join("|")}`,
    ...alwaysNotes(request),
  ];
  return lines.join("\n");
}

export function riskLines({ risks = [] }: Pick<ApprovalRequestRecord, "risks">): string[] {
  return risks.map(({ level, kind, text }) => `${RISK_WORDS[level]} (${kind}): ${promptLine(text)}`);
}

const RISK_WORDS = { danger: "DANGER", care: "Careful", info: "Note" } as const;

export function formatWaiting({ approvalId, tool, reason }: ApprovalRequestRecord): string {
  return [
    `Waiting for approval (id ${approvalId}): ${tool.name} has not run.`,
    `Reason: ${promptLine(reason)}`,
    "Stop and wait: a person has to decide, and an approved call then runs automatically. Do not make it again, and do not do the same another way. Tell the user that it waits.",
  ].join("\n");
}

export function listChoices({ offers }: Pick<ApprovalRequestRecord, "offers">): string[] {
  return offers.length > 0 ? ["allow-once", "allow-always", "deny"] : ["allow-once", "deny"];
}

function alwaysNotes({ offers, noAlways, noProgramGrant }: ApprovalRequestRecord): string[] {
  if (noAlways !== undefined) return [`allow-always is not possible: ${promptLine(noAlways)}.`];
  const programs = offers.filter(({ kind }) => kind === "program").map(({ summary }) => summary);
  if (programs.length > 0) {
    const named = promptLine(programs.join(", "));
    return [
      `allow-always covers this exact call; "allow-always program" covers ${named}, whatever the arguments.`,
    ];
  }
  const why = noProgramGrant === undefined ? "" : ` It cannot cover more: ${promptLine(noProgramGrant)}.`;
  return offers.length > 0 ? [`allow-always covers this exact call.${why}`] : [];
}

function promptLine(words: string): string {
  const shown = redactSecrets(escapeInvisible(words.slice(0, 2 * LINE_LIMIT)));
  return shown.length > LINE_LIMIT ? `${shown.slice(0, LINE_LIMIT).toWellFormed()}…` : shown;
}

function framed(shown: string): string[] {
  const fence = "`".repeat(Math.max(3, longestBacktickRun(shown) + 1));
  const lines = shown.split("\n").flatMap((line) => breakLine(line, COLUMNS));
  return [fence, ...lines.map(({ text, isFirst }) => `${isFirst ? "|" : "…"} ${text}`), fence];
}

export interface LinePiece {
  text: string;
  isFirst: boolean;
}

export function breakLine(line: string, columnsThere: number): LinePiece[] {
  const pieces: LinePiece[] = [];
  let text = "";
  let columns = 0;
  for (const character of line) {
    const width = character.codePointAt(0)! < FIRST_WIDE ? 1 : 2;
    if (columns + width > columnsThere && text !== "") {
      pieces.push({ text, isFirst: pieces.length === 0 });
      text = "";
      columns = 0;
    }
    text += character;
    columns += width;
  }
  return [...pieces, { text, isFirst: pieces.length === 0 }];
}

const FIRST_WIDE = 0x11_00;
