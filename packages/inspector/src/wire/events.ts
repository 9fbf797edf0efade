import type { ApprovalDecision } from "@haft/core";
import type { ApprovalState } from "@haft/core/internal";
import type { Approval } from "./approvals.ts";
import type { Role, Time } from "./basics.ts";
import type { CallRow } from "./calls.ts";
import type { Process } from "./processes.ts";
import type { Run } from "./runs.ts";

/**
 * `GET /api/events`, an event stream (`text/event-stream`) that is read by `fetch`, since the token is a header. Each event has an
 * `id` (`INSTANCE.NUMBER`), an `event` that is its `type`, and as `data` one line of JSON, which is one of these. A stream that
 * begins again with the header `Last-Event-ID` goes on behind that event; what is no longer there is answered with `reset`, and
 * what is shown is then to be fetched anew. A comment (`:`) every 15 seconds says that it is alive.
 */
export type InspectorEvent =
  /** The first of every stream. */
  | { type: "hello"; instance: string; role: Role; now: Time }
  /** Events are missing from here to the next one: fetch what is shown anew. Nothing is lost, since all of it is kept. */
  | { type: "reset"; why: "restarted" | "behind" }
  /** A session was opened, or is another way now. */
  | { type: "run"; run: Run }
  /** A call is new, or is another way now: instead of what was known of it (by `runId` and `toolCallId`). */
  | { type: "call"; call: CallRow }
  /**
   * Output of a call that runs. With `from` where the text before ended it is appended; otherwise what lies between was too much to
   * be sent, or is for who only looks, who is sent none of it: `GET /api/runs/RUN/calls/CALL/output?from=BYTE`, which reads it by the same offsets.
   */
  | { type: "output"; runId: string; toolCallId: string; from: number; text: string; total: number }
  /**
   * What a call says of itself while it runs, instead of what it said before: the last 4,096 characters. Who only looks is told none of it
   * (it is empty), since a secret may be half said.
   */
  | { type: "progress"; runId: string; toolCallId: string; text: string }
  /** A warning of a call. */
  | { type: "warning"; runId: string; toolCallId: string; code: string; message: string }
  /** A call waits for a decision, or its request is another way now. */
  | { type: "approval"; approval: Approval }
  /** It waits no more. */
  | {
      type: "approval-over";
      approvalId: string;
      state: ApprovalState | "unknown";
      decision?: ApprovalDecision;
      by?: string;
    }
  /** A process began, or is another way now. */
  | { type: "process"; process: Process }
  /** Other rules hold now: matrix and lint are to be fetched anew. */
  | { type: "policy"; version: string }
  /** The store of the ledger failed, or works again; the audit log has something to say. */
  | {
      type: "notice";
      about: "store" | "audit" | "inspector";
      level: "info" | "warning" | "error";
      message: string;
    };
