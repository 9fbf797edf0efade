import type { Call, CallOptions, CallRequest } from "./call.ts";
import { cancelled, failed } from "./outcome.ts";
import type { ApprovalDecision } from "./ports.ts";
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
  const admitted = admit(session, request, options);
  if ("kind" in admitted) return admitted;
  return finish(admitted, async (call) => {
    const refusal = call.refusal ? failed(call, call.refusal) : undefined;
    const stopped = refusal ?? resolveName(call) ?? prepare(call) ?? askPolicy(call) ?? checkRepetition(call);
    return stopped ?? (await askApprover(call)) ?? begin(call);
  });
}

/** Goes on with a call that waited for a decision from outside. */
export function resumeCall(call: Call, decision: ApprovalDecision): Promise<ToolOutcome> {
  return finish(call, async () => applyDecision(call, decision) ?? begin(call));
}

/** Ends a call that waited for a decision from outside and will not get one. */
export function withdrawCall(call: Call, reason: string): Promise<ToolOutcome> {
  return finish(call, async () => cancelled(call, "CANCELLED", reason, "none"));
}

function finish(call: Call, run: (call: Call) => Promise<ToolOutcome>): Promise<ToolOutcome> {
  call.ended = run(call)
    .catch((thrown: unknown) => failed(call, thrown, "INTERNAL"))
    .then((outcome) => record(call, outcome));
  return call.ended;
}

function begin(call: Call): Promise<ToolOutcome> | ToolOutcome {
  const { session } = call;
  if (call.controller.signal.aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
  session.ledger.transition(call.meta!, "executing");
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
