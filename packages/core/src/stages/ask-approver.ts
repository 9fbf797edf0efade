import type { Call } from "../call.ts";
import { callKey } from "../digest.ts";
import { messageOf } from "../errors.ts";
import { blocked, cancelled, pending } from "../outcome.ts";
import type { ApprovalDecision, Approver } from "../approval-port.ts";
import { text, type ToolOutcome } from "../result.ts";
import type { SessionState } from "../session-state.ts";
import { startTimer } from "../timer.ts";

/**
 * Has a person decide, where policy says so. With an approver the call waits; without one it is
 * answered as pending, and the session's `resolveApproval` goes on from here.
 */
export function askApprover(call: Call): ToolOutcome | undefined | Promise<ToolOutcome | undefined> {
  const { session, decision } = call;
  if (decision!.effect !== "ask" || isAllowedAlways(session, call.toolName, call.args)) return undefined;
  if (signalOf(call).aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
  // What a person looks at is what will run, whatever the caller does to its objects meanwhile.
  call.args = structuredClone(call.args);
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

/** Applies a decision: `undefined` lets the call go on. Only a clear yes does. */
export function applyDecision(call: Call, decision: ApprovalDecision): ToolOutcome | undefined {
  switch (decision) {
    case "allow-always":
      call.session.alwaysAllowed.add(callKey(call.toolName, call.args));
      return undefined;
    case "allow-once":
      return undefined;
    case "deny": {
      const fix = "Do it another way, or ask the user what they prefer.";
      return blocked(call, "APPROVAL_DENIED", "The request was denied.", fix);
    }
    default:
      return blocked(
        call,
        "APPROVAL_FAILED",
        "The answer to the request for approval was neither yes nor no.",
      );
  }
}

/** Unlike the key for repetitions this one has the volatile arguments in: allowed is what was shown. */
export function isAllowedAlways(
  { alwaysAllowed }: SessionState,
  toolName: string,
  args: Record<string, unknown>,
): boolean {
  return alwaysAllowed.size > 0 && alwaysAllowed.has(callKey(toolName, args));
}

/** Aborts when the call or what it is part of is aborted. */
function signalOf({ controller, options }: Call): AbortSignal {
  return options.signal ? AbortSignal.any([controller.signal, options.signal]) : controller.signal;
}

async function wait(call: Call, approver: Approver, approvalId: string): Promise<ToolOutcome | undefined> {
  const { session } = call;
  const minutes = session.settings.approvalTimeoutMs / 60_000;
  const signal = signalOf(call);
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
      signal,
    });
    const aborted = new Promise<"aborted">((resolve) => {
      if (signal.aborted) resolve("aborted");
      signal.addEventListener("abort", () => resolve("aborted"), { once: true });
    });
    const late = new Promise<"late">((resolve) => {
      timer = startTimer(() => resolve("late"), session.settings.approvalTimeoutMs);
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
