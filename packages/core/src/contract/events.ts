import type { ApprovalRequestRecord } from "./approval-port.ts";
import type { Decision } from "./policy-port.ts";
import type { ToolOutcome, ToolResult } from "./result.ts";

/**
 * What a session tells its listeners, in the order it happens. Every call ends with exactly one
 * `tool-end`; a `tool-blocked` comes before it when policy, a guard or a duplicate stopped the call.
 */
export type SessionEvent =
  | { type: "tool-start"; toolCallId: string; toolName: string; args: unknown; at: number }
  | { type: "tool-update"; toolCallId: string; toolName: string; partial: ToolResult }
  | { type: "tool-blocked"; toolCallId: string; toolName: string; code: string; reason: string; fix?: string }
  | { type: "tool-warning"; toolCallId: string; toolName: string; code: string; message: string }
  | {
      type: "approval-requested";
      toolCallId: string;
      toolName: string;
      approvalId: string;
      reason: string;
      request: ApprovalRequestRecord;
    }
  | { type: "approval-settled"; toolCallId: string; toolName: string; approvalId: string }
  | { type: "hook-failed"; toolCallId: string; toolName: string; hook: string; message: string }
  | {
      type: "policy-shadow";
      toolCallId: string;
      toolName: string;
      enforced: Decision["effect"];
      wouldBe: Decision["effect"];
      reason: string;
    }
  | { type: "tool-end"; toolCallId: string; toolName: string; outcome: ToolOutcome }
  | { type: "session-closed"; sessionKey: string };

/** Told what happens in a session, and not waited for. What it throws is logged. */
export type SessionListener = (event: SessionEvent) => void;
