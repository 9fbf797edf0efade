import { Call, type CallOptions, type CallRequest } from "./call.ts";
import { cancelled, failed } from "./outcome.ts";
import type { ApprovalDecision } from "./approval-port.ts";
import type { ToolOutcome } from "./result.ts";
import type { SessionState } from "./session-state.ts";
import { admit } from "./stages/admit.ts";
import { applyDecision, askApprover } from "./stages/ask-approver.ts";
import { askPolicy } from "./stages/ask-policy.ts";
import { checkRepetition } from "./stages/check-repetition.ts";
import { execute } from "./stages/execute.ts";
import { prepare } from "./stages/prepare-arguments.ts";
import { record } from "./stages/record.ts";
import { resolveName } from "./stages/resolve-name.ts";

/**
 * The life of a call. Each stage either lets the call go on (`undefined`) or ends it with an
 * outcome; nothing is ever thrown past here.
 */
export async function runCall(
  session: SessionState,
  request: CallRequest,
  options: CallOptions,
): Promise<ToolOutcome> {
  const call = admit(session, request, options);
  if (!(call instanceof Call)) return call;
  let outcome: ToolOutcome;
  try {
    const refusal = call.refusal && failed(call, call.refusal);
    const stopped = refusal ?? resolveName(call) ?? prepare(call) ?? askPolicy(call) ?? checkRepetition(call);
    outcome = stopped ?? (await askApprover(call)) ?? (await begin(call));
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  return record(call, outcome);
}

/** Goes on with a call that waited for a decision from outside. */
export async function resumeCall(call: Call, decision: ApprovalDecision): Promise<ToolOutcome> {
  let outcome: ToolOutcome;
  try {
    outcome = applyDecision(call, decision) ?? (await begin(call));
  } catch (thrown) {
    outcome = failed(call, thrown, "INTERNAL");
  }
  return record(call, outcome);
}

/** Ends a call that waited for a decision from outside and will not get one. */
export function withdrawCall(call: Call, reason: string): ToolOutcome {
  return record(call, cancelled(call, "CANCELLED", reason, "none"));
}

function begin(call: Call): Promise<ToolOutcome> | ToolOutcome {
  const { session } = call;
  if (call.controller.signal.aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
  session.ledger.begin(call.meta!);
  if (session.isObserved) {
    session.emit({
      type: "tool-start",
      toolCallId: call.id,
      toolName: call.toolName,
      args: call.args,
      at: Date.now(),
    });
  }
  return execute(call);
}
