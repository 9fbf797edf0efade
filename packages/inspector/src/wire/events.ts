import type { ApprovalDecision } from "@haft/core";
import type { ApprovalState } from "@haft/core/internal";
import type { Approval } from "./approvals.ts";
import type { Role, Time } from "./basics.ts";
import type { CallRow } from "./calls.ts";
import type { Process } from "./processes.ts";
import type { Run } from "./runs.ts";

/**
 * Describes the events of `GET /api/events`, an event stream (`text/event-stream`). Read it with `fetch`: the
 * token is a header. Each event has an `id` (`INSTANCE.NUMBER`), an `event` with its `type`, and one JSON
 * line as `data`. A stream with `Last-Event-ID` continues there. If events are missing, it starts with
 * `reset`, and the page fetches its data again. A comment (`:`) every 15 seconds keeps it alive.
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
  /** Events are missing, so the page fetches recorded data again. */
  | { type: "reset"; why: "restarted" | "behind" }
  /** A new or changed session. */
  | { type: "run"; run: Run }
  /** A call, which replaces that with the same `runId` and `toolCallId`. */
  | { type: "call"; call: CallRow }
  /**
   * Output of a running call, to append if `from` is the earlier end. Otherwise text was too long or the
   * token is read-only: `GET /api/runs/RUN/calls/CALL/output?from=BYTE` returns it at the same offsets.
   */
  | { type: "output"; runId: string; toolCallId: string; from: number; text: string; total: number }
  /**
   * Replaces a running call's progress: its last 4,096 characters. Empty for read-only tokens, because it may
   * contain a secret's part.
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
  /** Rules changed, so the page fetches matrix and warnings. */
  | { type: "policy"; version: string }
  /** The ledger's store failed or recovered, or the audit log has a problem. */
  | {
      type: "notice";
      about: "store" | "audit" | "inspector";
      level: "info" | "warning" | "error";
      message: string;
    };
