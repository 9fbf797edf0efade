import type { ApprovalRequestRecord } from "./approval-port.ts";
import type { Decision } from "./policy-port.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/** What a session tells, in order. Every call ends with one `tool-end`, after a `tool-blocked` if it was stopped. */
export type SessionEvent =
  | ({
      toolCallId: string;
      toolName: string;
      /** The call of another tool that made this one. */
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
      /** The decision is the last one that policy made about it, where it was asked. */
      | { type: "tool-end"; outcome: ToolOutcome; decision?: Decision }
    ))
  | { type: "session-closed"; sessionKey: string }
  /** The store of the ledger failed, or works again and has all that was kept meanwhile. */
  | { type: "ledger"; store: "failed" | "back"; message: string };

/** Told what happens in a session, and not waited for. What it throws is logged. */
export type SessionListener = (event: SessionEvent) => void;

/** Runs around the code of tools and calls `enter` once before it returns. If it does not, or throws, the tool runs anyway. */
export type CallMiddleware = (
  call: { readonly toolCallId: string; readonly toolName: string },
  enter: () => void,
) => void;
