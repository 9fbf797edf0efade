import { contentToText } from "@haft/core";
import { maskAndTruncate, toResultHead } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";

/**
 * A line of an audit log: a call as it stood, in the schema of the ledger. One that changes things has a line before it begins
 * (`executing`) and one when it has ended, one that waits for a person also one for that (`pending`); others one at their end.
 * Arguments and plan are as `record: plan` keeps them, whatever the ledger keeps, and of results there is a head.
 */
export interface AuditEntry extends Omit<CallRecord, "received" | "argsWhole"> {
  /** Version of this schema. */
  readonly audit: 1;
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number;
  /** The process that wrote it. */
  readonly pid: number;
  /** The run it belongs to. */
  readonly runId: string;
  /** The conversation. */
  readonly sessionKey: string;
  /** Who was calling. */
  readonly session: RunRecord["facts"];
  /** Of a call that a coding agent asked its hook about, and ran itself, or not. */
  readonly guard?: GuardedCall;
}

/** What a hook was asked, and what it answered. */
export interface GuardedCall {
  /** The agent's name. */
  readonly agent: string;
  /** As the agent calls it. */
  readonly event: string;
  /** Where the call would run. */
  readonly folder: string;
  /** The project's folder, where relative rules begin; absent where that is the same. */
  readonly project?: string;
  /** What the agent was told: `allow` is no opinion. */
  readonly answer: "allow" | "ask" | "deny";
  /** Nothing was decided, only watched: `decision` is what would have been. */
  readonly watched?: true;
  /** No agent asked: `haft guard status --probe` tried what is installed, with a call that is denied under any policy. */
  readonly probe?: true;
  /** A person's answer that the call used up. */
  readonly answered?: "allow" | "deny";
}

/** Whether it is of a call that a coding agent asked its hook about, and of none that was only to try that. */
export function isGuardedCall(entry: AuditEntry): entry is AuditEntry & { readonly guard: GuardedCall } {
  return entry.guard !== undefined && entry.guard.probe !== true;
}

/** How every line begins: nothing in one can look like that, since a quote in a text is escaped. */
export const AUDIT_LINE_PREFIX = '{"audit":1,"at":';

export function toAuditEntry(
  record: CallRecord,
  { runId, sessionKey, facts }: RunRecord,
  at: number,
): AuditEntry {
  const { received: _received, argsWhole, args, plan, result, ...rest } = record;
  // What waits for a decision is whole in the ledger, and of everything in full there is more than a log should have.
  const cut = <Value>(value: Value): Value => maskAndTruncate(value) as Value;
  return {
    audit: 1,
    at,
    pid: process.pid,
    runId,
    sessionKey,
    session: facts,
    ...(argsWhole === undefined ? rest : { ...rest, ...(rest.decision && { decision: cut(rest.decision) }) }),
    ...(args !== undefined && { args: cut(args) }),
    ...(plan !== undefined && { plan: cut(plan) }),
    ...(result !== undefined && {
      result:
        "content" in result ? toResultHead(JSON.stringify(result), contentToText(result.content)) : result,
    }),
  };
}

/** One line, with its end. */
export function formatAuditLine(entry: AuditEntry): string {
  const { audit: _audit, at, ...rest } = entry;
  return `${AUDIT_LINE_PREFIX}${at},${JSON.stringify(rest).slice(1)}\n`;
}
