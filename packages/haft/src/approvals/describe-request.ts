import { choicesOf, escapeInvisible, secretsNote, textOf, type ApprovalRequestRecord } from "@haft/core";
import { styleText } from "node:util";
import type { Writable } from "node:stream";
import { ago, until } from "./times.ts";

/** What a person needs to see of a request to decide it: all of it, and nothing hidden. */
export function describeRequest(request: ApprovalRequestRecord, stream: Writable, now = Date.now()): string {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  const { approvalId, tool, sessionKind, sessionKey, agentId, reason, requestedAt, expiresAt } = request;
  const who = `${sessionKind} session ${escapeInvisible(sessionKey)}, agent ${escapeInvisible(agentId)}`;
  const when = `asked ${ago(requestedAt, now)}, expires ${until(expiresAt, now)}`;
  const shown = textOf(request.preview);
  const note = secretsNote(shown);
  return [
    `${style(["bold", "yellow"], approvalId)}  ${style("bold", escapeInvisible(tool.name))}  ${who}; ${when}`,
    "",
    ...shown.split("\n").map((line) => `  ${style("cyan", escapeInvisible(line))}`),
    "",
    ...(note === undefined ? [] : [`  ${style("dim", note)}`]),
    `  ${escapeInvisible(reason)}`,
    ...alwaysLines(request).map((line) => `  ${style("dim", line)}`),
  ].join("\n");
}

/** What to type to decide it. */
export function howToAnswer(request: ApprovalRequestRecord): string {
  return `haft approvals answer ${request.approvalId} ${choicesOf(request).join("|")}`;
}

function alwaysLines({ offers, noAlways, noProgramGrant }: ApprovalRequestRecord): string[] {
  if (noAlways !== undefined) return [`It cannot be allowed for good: ${escapeInvisible(noAlways)}.`];
  const programs = offers
    .filter(({ kind }) => kind === "program")
    .map(({ summary }) => escapeInvisible(summary));
  if (programs.length > 0) return [`Always this program: ${programs.join(", ")}, whatever the arguments.`];
  return noProgramGrant === undefined
    ? []
    : [`Only this exact call can be allowed for good: ${escapeInvisible(noProgramGrant)}.`];
}
