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
  const change = fix === undefined ? "" : ` To allow it, a person would: ${toPlainLine(fix, 300)}`;
  return whole([`Haft denies this call: ${toPlainLine(reason, 400)}${change}`, ...notes]);
}

export function formatQuestion({ reason, fix }: Explained, notes: readonly string[]): string {
  const change = fix === undefined ? "" : ` Not to be asked again: ${toPlainLine(fix, 300)}`;
  return whole([`Haft asks: ${toPlainLine(reason, 400)}${change}`, ...notes]);
}

export function formatWaiting(
  { reason }: Explained,
  approvalId: string | undefined,
  notes: readonly string[],
): string {
  const how =
    approvalId === undefined
      ? "There is nobody to ask here."
      : `It waits for a person, as approval ${approvalId}: haft approvals answer ${approvalId} allow-once. Once that is done, make this very call again; until then do not try it another way.`;
  return whole([
    `Haft asks a person about this call, so it did not run: ${toPlainLine(reason, 400)} ${how}`,
    ...notes,
  ]);
}

export function formatTooLong({ reason }: Explained, characters: number, notes: readonly string[]): string {
  const why = `Somebody would have to be asked about it, and it is too long to be read: ${characters} characters, of at most ${MAX_APPROVAL_CHARACTERS}.`;
  return whole([
    `Haft denies this call: ${toPlainLine(reason, 400)} ${why} Do it in several smaller calls.`,
    ...notes,
  ]);
}

export function formatQueueFull({ reason }: Explained, waiting: number, notes: readonly string[]): string {
  const why = `Somebody would have to be asked about it, and ${waiting} calls of this conversation wait for a person already. Stop and tell them: haft approvals shows what waits.`;
  return whole([`Haft denies this call: ${toPlainLine(reason, 400)} ${why}`, ...notes]);
}

export function formatViolation(what: string): string {
  const person = what === SECRET_DESCRIPTION ? "reads that" : "makes such a change";
  return whole([
    `Haft denies this call: it ${toPlainLine(describeViolation(what), 200)}, and no agent does that, whatever the policy says. A person ${person} in a terminal of their own.`,
  ]);
}

function whole(parts: readonly string[]): string {
  return toPlainLine(parts.filter(Boolean).join(" "), MAX_REASON_CHARACTERS);
}
