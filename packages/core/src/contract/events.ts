import type { ApprovalRequestRecord } from "./approval-port.ts";
import type { Decision } from "./policy-port.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/**
 * Describes an event of a session. Events arrive in order; each call ends with a `tool-end`, perhaps after a `tool-blocked`.
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 *
 * export function logCalls(session: Session): () => void {
 *   return session.subscribe((event) => {
 *     if (event.type === "tool-end") console.log(event.toolName, event.outcome.kind, event.outcome.durationMs);
 *   });
 * }
 * ```
 */
export type SessionEvent =
  | ({
      toolCallId: string;
      toolName: string;
      /** Identifies the call whose tool made this call. */
      parentCallId?: string;
    } & (
      | { type: "tool-start"; args: unknown; at: number }
      | { type: "tool-update"; partial: ToolResult }
      | { type: "tool-blocked"; code: string; reason: string; fix?: string }
      | { type: "tool-warning"; code: string; message: string }
      | { type: "approval-requested"; approvalId: string; reason: string; request: ApprovalRequestRecord }
      | { type: "approval-settled"; approvalId: string }
      | { type: "hook-failed"; hook: string; message: string }
      | { type: "policy-shadow"; enforced: Decision["effect"]; wouldBe: Decision["effect"]; reason: string }
      /** `decision` is the last policy decision about the call, if any. */
      | { type: "tool-end"; outcome: ToolOutcome; decision?: Decision }
    ))
  | { type: "session-closed"; sessionKey: string }
  /** Reports that the ledger's store failed, or works again with all records. */
  | { type: "ledger"; store: "failed" | "back"; message: string };

/** Receives session events. The session does not wait, and logs its errors. */
export type SessionListener = (event: SessionEvent) => void;

/**
 * Wraps the code of tools. It calls `enter` once before it returns; if it does not, or throws, the tool runs anyway.
 *
 * @example
 * ```ts
 * import { AsyncLocalStorage } from "node:async_hooks";
 * import type { CallMiddleware } from "@haft/core/kernel";
 *
 * const currentCall = new AsyncLocalStorage<string>();
 * const remember: CallMiddleware = ({ toolCallId }, enter) => currentCall.run(toolCallId, enter);
 * ```
 */
export type CallMiddleware = (
  call: { readonly toolCallId: string; readonly toolName: string },
  enter: () => void,
) => void;
