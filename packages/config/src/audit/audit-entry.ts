import { contentToText } from "@haft/core";
import { maskAndTruncate, toResultHead } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";

/**
 * A line of an audit log: the state of a call, in the schema of the ledger. A call that changes something has a line before it begins
 * (`executing`) and one at its end; a call that waits for a person also has one for that (`pending`). Other calls have one line, at
 * their end. Arguments and plan are written as with `record: plan`, whatever the ledger records, and results are cut.
 *
 * @example
 * ```ts
 * import type { AuditEntry } from "@haft/config";
 * const isDenied = ({ decision, guard }: AuditEntry) => decision?.effect === "deny" && guard?.watched !== true;
 * ```
 */
export interface AuditEntry extends Omit<CallRecord, "received" | "argsWhole"> {
  /** The version of this schema. */
  readonly audit: 1;
  /** When the line was written, in milliseconds since the epoch. */
  readonly at: number;
  /** The process that wrote it. */
  readonly pid: number;
  /** The run to which the call belongs. */
  readonly runId: string;
  /** The key of the conversation. */
  readonly sessionKey: string;
  /** The facts about the session that called. */
  readonly session: RunRecord["facts"];
  /** Set for a call of another coding agent that asked its hook. The agent runs the call itself. */
  readonly guard?: GuardedCall;
}

/**
 * The question of a coding agent to its hook, and the answer.
 *
 * @example
 * ```ts
 * import type { GuardedCall } from "@haft/config";
 * const format = ({ agent, folder, answer }: GuardedCall) => `${agent} in ${folder}: ${answer}`;
 * ```
 */
export interface GuardedCall {
  /** The name of the agent. */
  readonly agent: string;
  /** The event, under the agent's name for it. */
  readonly event: string;
  /** The folder in which the call would run. */
  readonly folder: string;
  /** The folder of the project, from which relative rules start. Absent where it is `folder`. */
  readonly project?: string;
  /** The answer that the agent got. `allow` means that Haft had no objection. */
  readonly answer: "allow" | "ask" | "deny";
  /** Set when the guard only watches: `decision` is then the answer that it would have given. */
  readonly watched?: true;
  /** Set when no agent asked: `haft guard status --probe` tried the hook with a call that every policy denies. */
  readonly probe?: true;
  /** The answer of a person that this call used up. */
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
