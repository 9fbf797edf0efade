import { contentToText, type ApprovalRequestRecord } from "@haft/core";
import { breakLine, listChoices, riskLines, describeMaskedSecrets } from "@haft/core/internal";
import { escapeInvisible } from "@haft/utils";
import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { nextCommand } from "../location/next-command.ts";
import { formatAgo, formatUntil } from "./times.ts";

export function describeRequest(request: ApprovalRequestRecord, stream: Writable, now = Date.now()): string {
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream });
  const { approvalId, tool, sessionKind, sessionKey, agentId, reason, requestedAt, expiresAt } = request;
  const who = `${sessionKind} session ${escapeInvisible(sessionKey)}, agent ${escapeInvisible(agentId)}`;
  const when = `asked ${formatAgo(requestedAt, now)}, expires ${formatUntil(expiresAt, now)}`;
  const shown = contentToText(request.preview);
  const note = describeMaskedSecrets(shown);
  return [
    `${style(["bold", "yellow"], approvalId)}  ${style("bold", escapeInvisible(tool.name))}  ${who}`,
    "",
    ...shown
      .split("\n")
      .flatMap((line) => broken(escapeInvisible(line), stream).map((part) => style("cyan", part))),
    "",
    ...riskLines(request).flatMap((line) =>
      wrapped(line, stream).map((part) =>
        style(line.startsWith("DANGER") ? ["bold", "red"] : "yellow", part),
      ),
    ),
    ...wrapped(when, stream),
    ...(note === undefined ? [] : wrapped(note, stream).map((line) => style("dim", line))),
    ...wrapped(escapeInvisible(reason), stream),
    ...alwaysLines(request).flatMap((line) => wrapped(line, stream).map((part) => style("dim", part))),
  ].join("\n");
}

/** An unindented rest of a line could imitate Haft. */
function broken(line: string, stream: Writable): string[] {
  return breakLine(line, roomOf(stream)).map(({ text, isFirst }) => `${isFirst ? "  " : "… "}${text}`);
}

function wrapped(sentence: string, stream: Writable): string[] {
  const room = roomOf(stream) - 2;
  const lines: string[] = [];
  for (const word of sentence.split(" ").flatMap((long) => breakLine(long, room).map(({ text }) => text))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`));
}

function roomOf(stream: Writable & { isTTY?: boolean; columns?: number }): number {
  return stream.isTTY === true ? Math.max(NARROWEST, (stream.columns ?? 80) - 3) : Infinity;
}

/** In columns. */
const NARROWEST = 20;

/** Parentheses around alternatives make the line invalid in a shell. */
export function formatAnswerCommand(request: ApprovalRequestRecord): string {
  const [first, ...others] = listChoices(request);
  return `${nextCommand(`haft approvals answer ${request.approvalId} ${first}`)} (or ${others.join(", ")})`;
}

function alwaysLines({ offers, noAlways, noProgramGrant }: ApprovalRequestRecord): string[] {
  if (noAlways !== undefined) return [`It cannot be allowed permanently: ${escapeInvisible(noAlways)}.`];
  const programs = offers
    .filter(({ kind }) => kind === "program")
    .map(({ summary }) => escapeInvisible(summary));
  if (programs.length > 0) return [`Always this program: ${programs.join(", ")}, with any arguments.`];
  return noProgramGrant === undefined
    ? []
    : [`Only this exact call can be allowed permanently: ${escapeInvisible(noProgramGrant)}.`];
}
