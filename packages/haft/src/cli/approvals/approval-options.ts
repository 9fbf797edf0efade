import { formatApproval, type Session, type SessionEnvironment } from "@haft/core/kernel";
import { UsageError } from "../usage.ts";
import { formatAnswerCommand } from "./describe-request.ts";
import { findTerminal } from "./find-terminal.ts";
import { createTerminalApprover } from "./terminal-approver.ts";

export type ApprovalsOption = "ask" | "wait" | "pending" | "deny";

export function approvalEnvironment(
  option: ApprovalsOption,
): Pick<SessionEnvironment, "approver" | "approvalMode"> {
  if (option !== "ask") return { approvalMode: option };
  const terminal = findTerminal();
  if (!terminal)
    throw new UsageError("--approvals ask needs a terminal, and there is none. Use wait, pending or deny.");
  return { approver: createTerminalApprover(terminal), approvalMode: "wait" };
}

/** Prints pending calls and store failures. `giveUp` aborts calls that cannot be stored for approval. */
export function reportApprovals(
  session: Session,
  option: ApprovalsOption,
  { giveUp = false }: { giveUp?: boolean } = {},
): void {
  session.subscribe((event) => {
    if (event.type === "approval-requested" && option === "wait") {
      console.error(
        `${formatApproval(event.request)}\nOr from another terminal: ${formatAnswerCommand(event.request)}`,
      );
    }
    if (event.type !== "tool-warning" || !STORE_FAILURES.includes(event.code)) return;
    console.error(`haft: ${event.message}`);
    if (giveUp && option === "wait" && event.code === "APPROVAL_NOT_STORED") {
      session.abort(event.toolCallId, "no person could be asked about it.");
    }
  });
}

const STORE_FAILURES: readonly string[] = ["APPROVALS_UNREADABLE", "APPROVAL_NOT_STORED"];
