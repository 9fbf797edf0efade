import { withoutUndefined } from "@haft/utils";
import { askStore, handleStoreFailure } from "../../../approvals/ask-store.ts";
import { changedParts } from "../../../approvals/call-parts.ts";
import { describeSubject } from "../../../approvals/grants.ts";
import { takeAnswer } from "../../../approvals/stored-answers.ts";
import type { ApprovalRequestRecord } from "../../../contract/approval-port.ts";
import type { CallRecord } from "../../../contract/ledger-port.ts";
import type { ToolOutcome } from "../../../contract/result.ts";
import { Call, type PlannedCall, type PreparedCall, type Stage, type Step } from "../../call.ts";
import { createBlockedOutcome, createCancelledOutcome, createFailedOutcome } from "../../outcome.ts";
import { BEGIN, runPipeline, runStages } from "../../pipeline.ts";
import type { SessionState } from "../../session-state.ts";
import { applyAnswer, askForApproval, askApprover } from "../../stages/ask-approver.ts";
import { askPolicy } from "../../stages/ask-policy.ts";
import { getCallKey } from "../../stages/check-repetition.ts";
import { makePlan, refusalError } from "../../stages/make-plan.ts";
import { prepareCallArguments } from "../../stages/prepare-arguments.ts";
import { resolveName } from "../../stages/resolve-name.ts";
import { runHooksBefore } from "../../stages/run-hooks.ts";

/** The repetition check would find the call itself. */
const PLAN_AGAIN: readonly Stage[] = [
  resolveName,
  runHooksBefore,
  prepareCallArguments,
  countCall,
  makePlan,
  askPolicy,
];

/**
 * Continues a call that waited for approval in an earlier opening, under the current rules, if its plan is unchanged. Resolves when it
 * waits again or has ended.
 *
 * @param record Has complete arguments; pending in the session's ledger.
 * @param onDecided Called when the call waits, begins or ends.
 */
export async function resumeCall(
  session: SessionState,
  record: CallRecord,
  onDecided: () => void,
): Promise<void> {
  const meta = session.callHistory.get(record.toolCallId);
  if (meta?.status !== "pending") return;
  const { toolCallId, answeredAs, toolName, args, sender, parentCallId } = record;
  const request = { id: toolCallId, ...(record.received ?? { name: toolName, arguments: args }) };
  const options = withoutUndefined({ sender, parentCallId });
  const call = new Call(session, toolCallId, request, options, answeredAs);
  call.isResumed = true;
  call.isRecorded = true;
  call.seq = record.seq;
  call.approvalId = record.approvalId;
  call.argsDigest = record.argsDigest;
  const admitted = call.markAdmitted(meta);
  session.running.join(admitted);
  meta.args = args;
  // The caller may close the session next.
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "tool-start" && event.toolCallId === toolCallId) onDecided();
  });
  const outcome = await runPipeline(admitted, [(one) => decideResumed(one, record.approvalId), ...BEGIN]);
  if (outcome.kind === "pending") onDecided();
  unsubscribe();
}

async function decideResumed(call: PlannedCall, approvalId: string | undefined): Promise<Step> {
  const { session } = call;
  const search = approvalId === undefined ? undefined : find(session, approvalId);
  const found = await search?.catch(handleStoreFailure(session, undefined));
  const over = found && whatEnded(call, found.state);
  if (over !== undefined) return over;
  const ended = await runStages(call, PLAN_AGAIN);
  const request = found?.request;
  if (request === undefined) return ended ?? askApprover(call);
  if (ended !== undefined) return withdrawn(session, request, ended);
  // A process took the answer and died before the call began.
  if (found!.state === "decided") return askApprover(call);
  const subject = describeSubject(session, call);
  if (request.exactKey !== subject.exactKey) {
    const what = changedParts(request.parts, subject.parts);
    return withdrawn(session, request, outdated(call, what));
  }
  const refused = call.plan?.refused;
  if (refused !== undefined)
    return withdrawn(session, request, createFailedOutcome(call, refusalError(refused)));
  // A given answer stays valid even if the rules no longer require approval.
  if (call.decision.effect === "allow" && found!.state === "open")
    return withdrawn(session, request, undefined);
  if (found!.state === "answered") {
    const answer = await takeAnswer(session, request);
    if (answer !== undefined) return applyAnswer(call, answer, subject);
  }
  return askForApproval(call, request, () => Promise.resolve());
}

function countCall(call: PreparedCall): undefined {
  call.key = getCallKey(call);
  call.record = call.session.guard.start(call.key, call.id, call.traits());
}

async function find(session: SessionState, approvalId: string) {
  return askStore(session, async (store) => store.find?.(approvalId));
}

function whatEnded(call: Call, state: string): ToolOutcome | undefined {
  if (state === "withdrawn")
    return createCancelledOutcome(call, "its request for approval was withdrawn before it ran.", "none");
  if (state !== "expired") return undefined;
  const reason = "The approval expired before a decision or a resume; the call did not run.";
  return createBlockedOutcome(call, "APPROVAL_TIMEOUT", reason, "Try again when a person can decide.");
}

async function withdrawn<T>(
  session: SessionState,
  { approvalId }: ApprovalRequestRecord,
  then: T,
): Promise<T> {
  await askStore(session, (store) => store.removeRequest(approvalId)).catch(
    handleStoreFailure(session, undefined),
  );
  return then;
}

function outdated(call: PlannedCall, what: readonly string[]): ToolOutcome {
  const listed = what.slice(0, 10).join(", ") + (what.length > 10 ? ` and ${what.length - 10} more` : "");
  const reason = `The call differs from the call shown for approval, so it did not run. Changed: ${listed}.`;
  const fix = "Make the call again, so that its current state is decided.";
  return createBlockedOutcome(call, "APPROVAL_OUTDATED", reason, fix, { changed: [...what] });
}
