import type { ApprovalDecision } from "@haft/core";
import type { ApprovalState } from "@haft/core/internal";
import type { Approval } from "./approvals.ts";
import type { Role, Time } from "./basics.ts";
import type { CallRow } from "./calls.ts";
import type { Process } from "./processes.ts";
import type { Run } from "./runs.ts";

/**
 * Describes the events of `GET /api/events`, an event stream (`text/event-stream`). Read it with `fetch`, because the token is a header.
 * Each event has an `id` (`INSTANCE.NUMBER`), an `event` with its `type`, and one line of JSON as `data`. A stream with the header
 * `Last-Event-ID` continues after that event. If later events are missing, it starts with `reset`, and the page fetches its data again. A
 * comment (`:`) every 15 seconds shows that the stream works.
 *
 * @example
 * ```ts
 * import type { InspectorEvent } from "@haft/inspector";
 * function show(event: InspectorEvent) {
 *   if (event.type === "call") console.log(event.call.toolName, event.call.stand);
 *   if (event.type === "approval") console.log("waits:", event.approval.summary);
 * }
 * ```
 */
export type InspectorEvent =
  /** The first event of every stream. */
  | { type: "hello"; instance: string; role: Role; now: Time }
  /** Events are missing. The page fetches its data again; all of it is recorded. */
  | { type: "reset"; why: "restarted" | "behind" }
  /** A new or changed session. */
  | { type: "run"; run: Run }
  /** A new or changed call. It replaces the call with the same `runId` and `toolCallId`. */
  | { type: "call"; call: CallRow }
  /**
   * Output of a running call. Append it if `from` is the end of the earlier text. Otherwise, the text between was too long, or the token is
   * read-only and gets no output: `GET /api/runs/RUN/calls/CALL/output?from=BYTE` returns it, with the same offsets.
   */
  | { type: "output"; runId: string; toolCallId: string; from: number; text: string; total: number }
  /**
   * Replaces the progress of a running call: its last 4,096 characters. Empty for a read-only token, because the text may contain a part of
   * a secret.
   */
  | { type: "progress"; runId: string; toolCallId: string; text: string }
  /** A warning of a call. */
  | { type: "warning"; runId: string; toolCallId: string; code: string; message: string }
  /** A new or changed request for approval. */
  | { type: "approval"; approval: Approval }
  /** A call no longer waits. */
  | {
      type: "approval-over";
      approvalId: string;
      state: ApprovalState | "unknown";
      decision?: ApprovalDecision;
      by?: string;
    }
  /** A new or changed process. */
  | { type: "process"; process: Process }
  /** Other rules are in force. The page fetches matrix and warnings again. */
  | { type: "policy"; version: string }
  /** The store of the ledger failed or recovered, or the audit log has a problem. */
  | {
      type: "notice";
      about: "store" | "audit" | "inspector";
      level: "info" | "warning" | "error";
      message: string;
    };
