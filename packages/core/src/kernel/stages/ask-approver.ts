import { describeDuration } from "@haft/utils";
import { askStore, handleStoreFailure } from "../../approvals/ask-store.ts";
import {
  findCoveringGrants,
  describeSubject,
  type Offers,
  storeGrant,
  createApprovalRequest,
  type SubjectFacts,
  useGrants,
} from "../../approvals/grants.ts";
import { findObstacle } from "../../approvals/obstacle.ts";
import { requireAnswer } from "../../approvals/read-answer.ts";
import { takeStoredAnswer, claimAnswer } from "../../approvals/stored-answers.ts";
import { type Settlement, WaitingCall } from "../../approvals/waiting-call.ts";
import type { ApprovalAnswer, ApprovalRequestRecord } from "../../contract/approval-port.ts";
import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import type { ToolOutcome } from "../../contract/result.ts";
import { messageWithCauses } from "../../format/causes.ts";
import { deepFreeze } from "../../parameters/copy-json.ts";
import type { PlannedCall, Step } from "../call.ts";
import {
  createBlockedOutcome,
  createCancelledOutcome,
  createFailedOutcome,
  createPendingOutcome,
} from "../outcome.ts";
import type { QueueResult } from "../recording/write-queue.ts";
import type { SessionState } from "../session-state.ts";
import { recheckPolicy } from "./ask-policy.ts";
import { refusalError } from "./make-plan.ts";

export function askApprover(call: PlannedCall): Promise<Step> | undefined {
  return call.decision.effect === "ask" && !call.isAgreed ? seekApproval(call) : undefined;
}

async function seekApproval(call: PlannedCall): Promise<Step> {
  const { session, signal } = call;
  const { approvalMode, approvalTimeoutMs } = session.settings;
  // The caller cannot change the approved arguments.
  deepFreeze(call.args);
  const refused = call.plan?.refused;
  if (refused) return createFailedOutcome(call, refusalError(refused));
  const subject = describeSubject(session, call);
  if (await isGranted(call, subject, signal)) return undefined;
  if (call.isOutdated) return undefined;
  if (signal.aborted) return createCancelledOutcome(call, "aborted before it ran.", "none");
  const earlierAnswer = await takeStoredAnswer(session, subject, signal);
  if (earlierAnswer !== undefined) return applyAnswer(call, earlierAnswer, subject);
  if (approvalMode === "deny") return unattended(call);
  if (session.recorder !== undefined) {
    const unready = await session.recorder.ready(call.changesThings());
    if (unready !== undefined) return createFailedOutcome(call, unready);
    if (signal.aborted) return createCancelledOutcome(call, "aborted before it ran.", "none");
  }
  const obstacle = findObstacle(session, call);
  if (obstacle)
    return createBlockedOutcome(call, obstacle.code, obstacle.reason, obstacle.fix, obstacle.details);

  const isTaken = (approvalId: string) => session.waiting.has(approvalId);
  const request = createApprovalRequest(session, call, subject, { isTaken, timeoutMs: approvalTimeoutMs });
  return askForApproval(call, request, keepRequest);
}

export async function askForApproval(
  call: PlannedCall,
  request: ApprovalRequestRecord,
  keep: (call: PlannedCall, request: ApprovalRequestRecord) => Promise<void>,
): Promise<Step> {
  const { session, signal } = call;
  const waiting = new WaitingCall(call, request, Math.max(1, request.expiresAt - Date.now()));
  waiting.join(session.waiting, signal);
  session.settings.policy.watch({ reevaluate: () => reevaluateWaiting(call, waiting) }, waiting.signal);
  // A listener may answer at once and end the process.
  const written = recordWaiting(call, request);
  const unrecorded = written instanceof Promise ? await written : written;
  if (unrecorded !== undefined)
    waiting.settle({ kind: "ruled", outcome: createFailedOutcome(call, unrecorded) });
  if (waiting.signal.aborted) return decided(call, waiting);
  waiting.stored = keep(call, request);
  await waiting.stored;
  if (waiting.signal.aborted) return decided(call, waiting);
  listen(session, waiting);
  announce(call, waiting);
  const { approvalMode } = session.settings;
  if (approvalMode === "wait") askAttached(session, waiting);
  if (approvalMode !== "wait" || call.isResumed) {
    waiting.unref();
    call.deferredOutcome = decided(call, waiting);
    return createPendingOutcome(call, waiting.request);
  }
  return decided(call, waiting);
}

function recordWaiting(call: PlannedCall, { approvalId }: ApprovalRequestRecord): QueueResult {
  return call.session.recorder?.recordWaiting(call, approvalId);
}

async function isGranted(call: PlannedCall, subject: SubjectFacts, signal: AbortSignal): Promise<boolean> {
  const { session } = call;
  const grants = await findCoveringGrants(session, call, subject, signal);
  if (grants === undefined || !(await useGrants(session, call, grants, signal))) return false;
  call.meta.grantIds = grants.map(({ id }) => id);
  return true;
}

function reevaluateWaiting(call: PlannedCall, waiting: WaitingCall): void {
  try {
    const judged = recheckPolicy(call);
    if (judged !== undefined) waiting.settle({ kind: "ruled", outcome: judged });
    else if (call.decision.effect === "allow") waiting.settle({ kind: "ruled" });
  } catch (thrown) {
    waiting.settle({ kind: "failed", thrown });
  }
}

async function decided(call: PlannedCall, waiting: WaitingCall): Promise<Step> {
  const settlement = await waiting.settled;
  if (settlement.kind === "left") return createPendingOutcome(call, waiting.request);
  if (settlement.kind === "released") return createCancelledOutcome(call, RELEASED, "none");
  if (settlement.kind === "answered" && settlement.elsewhere && !(await claimAnswer(call.session, waiting)))
    return createBlockedOutcome(
      call,
      "APPROVAL_UNAVAILABLE",
      "The same call in another process used up the answer.",
    );
  await withdraw(call.session, waiting, settlement);
  return follow(call, settlement, waiting.request);
}

const RELEASED = "its caller stopped waiting. A later answer counts for the same call made again.";

async function follow(
  call: PlannedCall,
  settlement: Exclude<Settlement, { kind: "left" | "released" }>,
  request: ApprovalRequestRecord,
): Promise<Step> {
  switch (settlement.kind) {
    case "aborted": {
      const reason: unknown = call.controller.signal.reason;
      return createCancelledOutcome(
        call,
        typeof reason === "string" ? reason : "aborted while waiting for approval.",
        "none",
      );
    }
    case "late": {
      const limit = describeDuration(call.session.settings.approvalTimeoutMs);
      const reason = `The approval expired after ${limit} without a decision; the call did not run.`;
      return createBlockedOutcome(call, "APPROVAL_TIMEOUT", reason, "Try again when a person can decide.");
    }
    case "ruled":
      return settlement.outcome;
    case "failed": {
      const reason = `The request for approval failed: ${messageWithCauses(settlement.thrown)}`;
      return createBlockedOutcome(call, "APPROVAL_UNAVAILABLE", reason);
    }
    case "answered":
      return applyAnswer(call, settlement.answer, request);
  }
}

/** Waits for the stored request: a slow store would keep it forever. */
async function withdraw(
  session: SessionState,
  { stored, request }: WaitingCall,
  { kind }: Settlement,
): Promise<void> {
  await stored;
  const why = kind === "answered" ? "decided" : kind === "late" ? "expired" : "withdrawn";
  await askStore(session, (store) => store.removeRequest(request.approvalId, why)).catch(
    handleStoreFailure(session, undefined),
  );
}

export async function applyAnswer(call: PlannedCall, given: unknown, offered: Offers): Promise<Step> {
  let answer: ApprovalAnswer;
  try {
    answer = requireAnswer(given);
  } catch (thrown) {
    const reason = `The answer to the approval request is invalid: ${getErrorMessage(thrown)}`;
    const fix = HaftError.is(thrown) ? thrown.fix : undefined;
    call.session.settings.logger.error(`${reason} ${fix ?? ""}`.trim(), { call: call.id });
    return createBlockedOutcome(call, "APPROVAL_UNAVAILABLE", reason, fix);
  }
  call.meta.decidedBy = answer.by;
  switch (answer.decision) {
    case "allow-once":
      call.isAgreed = true;
      return undefined;
    case "allow-always": {
      call.isAgreed = true;
      const problem = await storeGrant(call.session, call, offered, answer);
      if (problem !== undefined) {
        const message = `The call was allowed only once; the grant could not be stored: ${problem}.`;
        call.session.settings.logger.warn(message, { call: call.id });
        call.note = message;
      }
      return undefined;
    }
    case "deny": {
      const fix = "Do it another way, or ask the user what they prefer.";
      return createBlockedOutcome(call, "APPROVAL_DENIED", "The request was denied.", fix);
    }
  }
}

function keepRequest(call: PlannedCall, request: ApprovalRequestRecord): Promise<void> {
  const { session } = call;
  const report = (why: string) =>
    call.storeFailed(
      "APPROVAL_NOT_STORED",
      `Other processes cannot decide about this call, because the request could not be stored: ${why}.`,
    );
  return askStore(session, (approvals) => approvals.addRequest(request)).catch(
    handleStoreFailure(session, undefined, report),
  );
}

function listen(session: SessionState, waiting: WaitingCall): void {
  answeredElsewhere(session, waiting).then(
    (answer) => waiting.settle({ kind: "answered", answer, elsewhere: true }),
    handleStoreFailure(session, false),
  );
}

async function answeredElsewhere(
  { approvals }: SessionState,
  { request, signal }: WaitingCall,
): Promise<ApprovalAnswer> {
  return requireAnswer(await approvals.waitForAnswer(request.approvalId, signal));
}

function announce(call: PlannedCall, waiting: WaitingCall): void {
  const { request, signal } = waiting;
  const { approvalId, reason } = request;
  call.emit({ type: "approval-requested", approvalId, reason, request });
  const reportSettled = () => {
    if (!waiting.isLeft) call.emit({ type: "approval-settled", approvalId });
  };
  if (signal.aborted) reportSettled();
  else signal.addEventListener("abort", reportSettled, { once: true });
}

/** The first answer counts. */
function askAttached({ settings }: SessionState, waiting: WaitingCall): void {
  const { request, signal } = waiting;
  const { approver } = settings;
  if (approver === undefined || signal.aborted) return;
  Promise.resolve()
    .then(() => approver.ask({ ...request, signal }))
    .then(
      (answer) => waiting.settle({ kind: "answered", answer }),
      (thrown: unknown) => {
        if (HaftError.is(thrown) && thrown.code === "APPROVER_GONE") return;
        waiting.settle({ kind: "failed", thrown });
      },
    );
}

function unattended(call: PlannedCall): ToolOutcome {
  const reason = `${call.decision.reason} This session does not request approvals, so the call did not run.`;
  const fix = call.decision.fix ?? "Do it another way, or run it in a session that requests approvals.";
  return createBlockedOutcome(call, "APPROVAL_UNAVAILABLE", reason, fix, { decisionId: call.decision.id });
}
