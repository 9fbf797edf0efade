import { contentToText } from "@haft/core";
import { maskAndTruncate, toResultHead } from "@haft/core/internal/records";
import type { CallRecord, RunRecord } from "@haft/core/kernel";

/**
 * Describes a line of an audit log, in the schema of the ledger. A call that changes something has a line before it begins (`executing`)
 * and a line at its end; a call that waits for a person also has a line for that (`pending`). Other calls have one line, at their end.
 * Arguments and plan are written as with `record: plan`, and results are truncated.
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
  /** Gives the time, in milliseconds since the epoch. */
  readonly at: number;
  /** Identifies the process that wrote it. */
  readonly pid: number;
  /** Identifies the run. */
  readonly runId: string;
  /** Identifies the conversation. */
  readonly sessionKey: string;
  /** Contains the facts about the calling session. */
  readonly session: RunRecord["facts"];
  /** Set for a call of another coding agent, which runs the call itself. */
  readonly guard?: GuardedCall;
}

/**
 * Contains the question of a coding agent and the answer.
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
  /** Names the event as the agent does. */
  readonly event: string;
  /** Names the folder of the call. */
  readonly folder: string;
  /** Names the folder of the project, for relative rules. Absent if it equals `folder`. */
  readonly project?: string;
  /** Contains the answer to the agent. `allow` means that Haft had no objection. */
  readonly answer: "allow" | "ask" | "deny";
  /** Set if the guard only watches: it would have given the answer `decision`. */
  readonly watched?: true;
  /** Set if `haft guard status --probe` tested the hook with a call that every policy denies. */
  readonly probe?: true;
  /** Contains the consumed answer of a person. */
  readonly answered?: "allow" | "deny";
}

/** Returns whether a coding agent asked its hook, excluding probes. */
export function isGuardedCall(entry: AuditEntry): entry is AuditEntry & { readonly guard: GuardedCall } {
  return entry.guard !== undefined && entry.guard.probe !== true;
}

/** Escaped quotes prevent this text inside a line. */
export const AUDIT_LINE_PREFIX = '{"audit":1,"at":';

export function toAuditEntry(
  record: CallRecord,
  { runId, sessionKey, facts }: RunRecord,
  at: number,
): AuditEntry {
  const { received: _received, argsWhole, args, plan, result, ...rest } = record;
  // The ledger has the full arguments of pending calls.
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
