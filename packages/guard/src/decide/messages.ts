import type { Decision } from "@haft/core";
import { MAX_APPROVAL_CHARACTERS, redactSecrets } from "@haft/core/internal";
import { escapeInvisible, truncate } from "@haft/utils";
import { MAX_REASON_CHARACTERS } from "../contract/verdict.ts";
import { SECRET_DESCRIPTION, describeViolation } from "./protected-paths.ts";

export function toPlainLine(text: string, most: number): string {
  const shown = redactSecrets(escapeInvisible(text.slice(0, 2 * most)));
  return truncate(shown.replaceAll(/\s+/g, " ").trim(), most);
}

type Explained = Pick<Decision, "reason" | "fix">;

export function formatDenial({ reason, fix }: Explained, notes: readonly string[]): string {
  const change = fix === undefined ? "" : ` A person can allow it: ${toPlainLine(fix, 300)}`;
  return whole([`Haft denies this call: ${toPlainLine(reason, 400)}${change}`, ...notes]);
}

export function formatQuestion({ reason, fix }: Explained, notes: readonly string[]): string {
  const change = fix === undefined ? "" : ` To avoid this question: ${toPlainLine(fix, 300)}`;
  return whole([`Haft asks: ${toPlainLine(reason, 400)}${change}`, ...notes]);
}

export function formatWaiting(
  { reason }: Explained,
  approvalId: string | undefined,
  notes: readonly string[],
): string {
  const how =
    approvalId === undefined
      ? "No person can be asked here."
      : `It waits for a person, as approval ${approvalId}: haft approvals answer ${approvalId} allow-once. After the answer, make exactly this call again. Until then, do not try it in another way.`;
  return whole([
    `Haft asks a person about this call, so it did not run: ${toPlainLine(reason, 400)} ${how}`,
    ...notes,
  ]);
}

export function formatTooLong({ reason }: Explained, characters: number, notes: readonly string[]): string {
  const why = `A person must decide about it, but it is too long to read: ${characters} characters, of at most ${MAX_APPROVAL_CHARACTERS}.`;
  return whole([
    `Haft denies this call: ${toPlainLine(reason, 400)} ${why} Split it into smaller calls.`,
    ...notes,
  ]);
}

export function formatQueueFull({ reason }: Explained, waiting: number, notes: readonly string[]): string {
  const why = `A person must decide about it, but ${waiting} calls of this conversation already wait for a person. Stop and tell the person: haft approvals lists the waiting calls.`;
  return whole([`Haft denies this call: ${toPlainLine(reason, 400)} ${why}`, ...notes]);
}

export function formatViolation(what: string): string {
  const person = what === SECRET_DESCRIPTION ? "read this" : "make this change";
  return whole([
    `Haft denies this call: it ${toPlainLine(describeViolation(what), 200)}, and no agent may do this, regardless of the policy. A person can ${person} in a separate terminal.`,
  ]);
}

function whole(parts: readonly string[]): string {
  return toPlainLine(parts.filter(Boolean).join(" "), MAX_REASON_CHARACTERS);
}
