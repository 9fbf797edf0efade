import { contentToText } from "@haft/core";
import { maskAndTruncate, toResultHead } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";

/**
 * Describes a line of an audit log: the state of a call, in the schema of the ledger. A call that changes something has a line before it
 * begins (`executing`) and a line at its end; a call that waits for a person also has a line for that (`pending`). Other calls have one
 * line, at their end. Arguments and plan are written as with `record: plan`, whatever the ledger records, and results are truncated.
 *
 * @example
 * ```ts
 * import type { AuditEntry } from "@haft/config";
 * const isDenied = ({ decision, guard }: AuditEntry) => decision?.effect === "deny" && guard?.watched !== true;
 * ```
 */
export interface AuditEntry extends Omit<CallRecord, "received" | "argsWhole"> {
  /** Gives the version of this schema. */
  readonly audit: 1;
  /** Gives the time when the line was written, in milliseconds since the epoch. */
  readonly at: number;
  /** Identifies the process that wrote it. */
  readonly pid: number;
  /** Identifies the run of the call. */
  readonly runId: string;
  /** Identifies the conversation. */
  readonly sessionKey: string;
  /** Contains the facts about the calling session. */
  readonly session: RunRecord["facts"];
  /** Set for a call of another coding agent that asked its hook. The agent runs the call itself. */
  readonly guard?: GuardedCall;
}

/**
 * Contains the question of a coding agent to its hook, and the answer.
 *
 * @example
 * ```ts
 * import type { GuardedCall } from "@haft/config";
 * const format = ({ agent, folder, answer }: GuardedCall) => `${agent} in ${folder}: ${answer}`;
 * ```
 */
export interface GuardedCall {
  /** Names the agent. */
  readonly agent: string;
  /** Names the event, as the agent calls it. */
  readonly event: string;
  /** Names the folder in which the call would run. */
  readonly folder: string;
  /** Names the folder of the project, from which relative rules start. Absent if it equals `folder`. */
  readonly project?: string;
  /** Contains the answer that the agent got. `allow` means that Haft had no objection. */
  readonly answer: "allow" | "ask" | "deny";
  /** Set if the guard only watches: `decision` is then the answer that it would have given. */
  readonly watched?: true;
  /** Set if no agent asked: `haft guard status --probe` tested the hook with a call that every policy denies. */
  readonly probe?: true;
  /** Contains the answer of a person that this call used up. */
  readonly answered?: "allow" | "deny";
}

/** Returns whether a coding agent asked its hook about the call, excluding probes. */
export function isGuardedCall(entry: AuditEntry): entry is AuditEntry & { readonly guard: GuardedCall } {
  return entry.guard !== undefined && entry.guard.probe !== true;
}

/** Begins every line. It cannot occur inside a line, because quotes in texts are escaped. */
export const AUDIT_LINE_PREFIX = '{"audit":1,"at":';

export function toAuditEntry(
  record: CallRecord,
  { runId, sessionKey, facts }: RunRecord,
  at: number,
): AuditEntry {
  const { received: _received, argsWhole, args, plan, result, ...rest } = record;
  // The ledger has the full arguments of pending calls; a log should contain less.
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

export function formatAuditLine(entry: AuditEntry): string {
  const { audit: _audit, at, ...rest } = entry;
  return `${AUDIT_LINE_PREFIX}${at},${JSON.stringify(rest).slice(1)}\n`;
}
