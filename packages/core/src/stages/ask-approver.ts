import type { Call } from "../call.ts";
import { messageOf } from "../errors.ts";
import { blocked, cancelled, pending } from "../outcome.ts";
import type { ApprovalDecision, Approver } from "../ports.ts";
import { text, type ToolOutcome } from "../result.ts";

/**
 * Has a person decide, where policy says so. With an approver the call waits; without one it is
 * answered as pending, and the session's `resolveApproval` goes on from here.
 */
export function askApprover(call: Call): ToolOutcome | undefined | Promise<ToolOutcome | undefined> {
  const { session, decision } = call;
  if (decision!.effect !== "ask" || session.alwaysAllowed.has(call.key)) return undefined;
  const approvalId = newApprovalId(session.waiting);
  session.waiting.set(approvalId, call);
  session.emit({
    type: "approval-requested",
    toolCallId: call.id,
    toolName: call.toolName,
    approvalId,
    reason: decision!.reason,
  });
  const { approver } = session.settings;
  return approver ? wait(call, approver, approvalId) : pending(call, approvalId, decision!.reason);
}

/** Applies a decision: `undefined` lets the call go on. */
export function applyDecision(call: Call, decision: ApprovalDecision): ToolOutcome | undefined {
  if (decision === "deny") {
    return blocked(
      call,
      "APPROVAL_DENIED",
      "The request was denied.",
      "Do it another way, or ask the user what they prefer.",
    );
  }
  if (decision === "allow-always") call.session.alwaysAllowed.add(call.key);
  return undefined;
}

async function wait(call: Call, approver: Approver, approvalId: string): Promise<ToolOutcome | undefined> {
  const { session } = call;
  const minutes = session.settings.approvalTimeoutMs / 60_000;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const answer = approver.ask({
      approvalId,
      toolCallId: call.id,
      sessionKey: session.key,
      tool: call.tool!.facts,
      args: call.args,
      reason: call.decision!.reason,
      preview: [text(call.summary())],
      signal: call.controller.signal,
    });
    const aborted = new Promise<"aborted">((resolve) => {
      call.controller.signal.addEventListener("abort", () => resolve("aborted"), { once: true });
    });
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), session.settings.approvalTimeoutMs);
    });
    const decision = await Promise.race([answer, aborted, late]);
    if (decision === "aborted")
      return cancelled(call, "CANCELLED", "aborted while waiting for approval.", "none");
    if (decision === "late") {
      return blocked(
        call,
        "APPROVAL_TIMEOUT",
        `Nobody decided within ${minutes} minutes; it was not run.`,
        "Ask again when somebody is there.",
      );
    }
    return applyDecision(call, decision);
  } catch (thrown) {
    // An approver that fails has not approved.
    return blocked(call, "APPROVAL_FAILED", `The request for approval failed: ${messageOf(thrown)}`);
  } finally {
    clearTimeout(timer);
    session.waiting.delete(approvalId);
  }
}

/** No letters or digits that people mix up; short enough to type. */
const ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";

function newApprovalId(taken: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    const id = Array.from(bytes, (byte) => ID_LETTERS[byte % ID_LETTERS.length]).join("");
    if (!taken.has(id)) return id;
  }
}
