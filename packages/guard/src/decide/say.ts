import type { Decision } from "@haft/core";
import { escapeInvisible, MOST_ASKED_ABOUT, redactSecrets, truncate } from "@haft/core/internal";
import { MOST_CHARACTERS } from "../contract/verdict.ts";
import { SECRET, wouldDo } from "./own-places.ts";

/** Of a text from elsewhere: one line, no secrets, so long at most. */
export function plain(text: string, most: number): string {
  const shown = redactSecrets(escapeInvisible(text.slice(0, 2 * most)));
  return truncate(shown.replaceAll(/\s+/g, " ").trim(), most);
}

type Told = Pick<Decision, "reason" | "fix">;

/** Why a call is denied, and the smallest change that would let it through, for the person to make. */
export function sayDenied({ reason, fix }: Told, notes: readonly string[]): string {
  const change = fix === undefined ? "" : ` To allow it, a person would: ${plain(fix, 300)}`;
  return whole([`Haft denies this call: ${plain(reason, 400)}${change}`, ...notes]);
}

/** The same of a call that somebody has to decide about, by the agent's own prompt. */
export function sayAsked({ reason, fix }: Told, notes: readonly string[]): string {
  const change = fix === undefined ? "" : ` Not to be asked again: ${plain(fix, 300)}`;
  return whole([`Haft asks: ${plain(reason, 400)}${change}`, ...notes]);
}

/** The same where the agent cannot ask: how a person answers, and what the model does meanwhile. */
export function sayWaiting(
  { reason }: Told,
  approvalId: string | undefined,
  notes: readonly string[],
): string {
  const how =
    approvalId === undefined
      ? "There is nobody to ask here."
      : `It waits for a person, as approval ${approvalId}: haft approvals answer ${approvalId} allow-once. Once that is done, make this very call again; until then do not try it another way.`;
  return whole([
    `Haft asks a person about this call, so it did not run: ${plain(reason, 400)} ${how}`,
    ...notes,
  ]);
}

export function sayTooLong({ reason }: Told, characters: number, notes: readonly string[]): string {
  const why = `Somebody would have to be asked about it, and it is too long to be read: ${characters} characters, of at most ${MOST_ASKED_ABOUT}.`;
  return whole([
    `Haft denies this call: ${plain(reason, 400)} ${why} Do it in several smaller calls.`,
    ...notes,
  ]);
}

export function sayFull({ reason }: Told, waiting: number, notes: readonly string[]): string {
  const why = `Somebody would have to be asked about it, and ${waiting} calls of this conversation wait for a person already. Stop and tell them: haft approvals shows what waits.`;
  return whole([`Haft denies this call: ${plain(reason, 400)} ${why}`, ...notes]);
}

export function sayOwn(what: string): string {
  const person = what === SECRET ? "reads that" : "makes such a change";
  return whole([
    `Haft denies this call: it ${plain(wouldDo(what), 200)}, and no agent does that, whatever the policy says. A person ${person} in a terminal of their own.`,
  ]);
}

function whole(parts: readonly string[]): string {
  return plain(parts.filter(Boolean).join(" "), MOST_CHARACTERS);
}
