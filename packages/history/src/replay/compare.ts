import { formatToolResult, contentToText, type ToolOutcome } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";
import { diffTexts } from "@haft/tools-fs/engine";
import { createHash } from "node:crypto";
import { changedFiles } from "../ledger/changed-files.ts";
import { HEAD_CHARACTERS, isHead, getResultText } from "../ledger/result-text.ts";
import { normaliseText } from "./normalise.ts";

export async function compareOutcome(
  call: CallRecord,
  outcome: ToolOutcome,
  same: readonly (readonly [string, string])[],
): Promise<ReplayedCall> {
  const [then, now] = [
    wordOf(call.outcome, call.code),
    wordOf(outcome.kind, "code" in outcome ? outcome.code : undefined),
  ];
  const { result } = call;
  if (then !== now) {
    const diff = result && (await diffOf(getResultText(result), textOfOutcome(outcome), same));
    return {
      call,
      verdict: "differs",
      why: `the outcome was ${then} and is now ${now}`,
      ...(diff !== undefined && { diff }),
    };
  }
  if (result === undefined)
    return {
      call,
      verdict: "unsaid",
      why: `the outcome is again ${now}; the result was not recorded (record: none)`,
    };
  if (isHead(result)) return compareHead(call, result, outcome, same);
  const diff = await diffOf(getResultText(result), textOfOutcome(outcome), same);
  if (diff !== undefined) return { call, verdict: "differs", why: "the result differs", diff };
  const files = await diffOf(filesOf(call), filesOf({ ...call, result: outcome }), same);
  if (files !== undefined)
    return { call, verdict: "differs", why: "the changes of files differ", diff: files };
  return { call, verdict: "same" };
}

async function compareHead(
  call: CallRecord,
  { head, sha256 }: Extract<NonNullable<CallRecord["result"]>, { head: string }>,
  outcome: ToolOutcome,
  same: readonly (readonly [string, string])[],
): Promise<ReplayedCall> {
  const whole = JSON.stringify({ content: outcome.content, details: outcome.details });
  if (createHash("sha256").update(whole).digest("hex") === sha256) return { call, verdict: "same" };
  // Cut like the record.
  const text = redactSecrets(contentToText(outcome.content).slice(0, 2 * HEAD_CHARACTERS)).slice(
    0,
    HEAD_CHARACTERS,
  );
  const isWhole = head.length < HEAD_CHARACTERS;
  const diff = await diffOf(head, text, same);
  if (diff !== undefined) return { call, verdict: "differs", why: "the result differs", diff };
  if (isWhole) return { call, verdict: "same" };
  return {
    call,
    verdict: "unsaid",
    why: "the start of the result is equal; the rest was not recorded (record: full records it)",
  };
}

function wordOf(kind: string | undefined, code: string | undefined): string {
  return kind === undefined || kind === "ok" ? (kind ?? "unknown") : `${kind} (${code})`;
}

function textOfOutcome(outcome: ToolOutcome): string {
  return redactSecrets(formatToolResult(outcome, "plain"));
}

async function diffOf(
  then: string,
  now: string,
  same: readonly (readonly [string, string])[],
): Promise<string | undefined> {
  const [before, after] = [normaliseText(then), normaliseText(now, same)];
  if (before === after) return undefined;
  const diff = await diffTexts({ before: "recorded", after: "now" }, before, after);
  return diff ?? "(too many differences to show)";
}

function filesOf(call: CallRecord): string {
  return changedFiles(call)
    .map(({ path, kind, diff }) => `${kind} ${path}\n${diff ?? ""}`)
    .join("\n");
}

/**
 * Compares a replayed call with its record.
 *
 * @example
 * ```ts
 * import type { ReplayedCall } from "@haft/history/replay";
 * const format = ({ call, verdict, why = "" }: ReplayedCall) => `${call.toolName}: ${verdict} ${why}`.trim();
 * ```
 */
export interface ReplayedCall {
  /** Contains the recorded call. */
  readonly call: CallRecord;
  /**
   * `same` and `differs` compare the outcomes. `record`: the call counts as recorded, without a repetition.
   * `unsaid`: the outcomes are not comparable.
   */
  readonly verdict: "same" | "differs" | "record" | "unsaid";
  /** The reason or the difference, on one line. */
  readonly why?: string;
  /** The differences between the texts. */
  readonly diff?: string;
}
