import type { ApprovalRequestRecord } from "../approval-port.ts";
import { coveringGrants, offersOf, remember, useGrants } from "../approvals/grants.ts";
import { previewOf } from "../approvals/preview.ts";
import { readAnswer } from "../approvals/read-answer.ts";
import { newShortId } from "../approvals/short-id.ts";
import { type Settlement, signalOf, WaitingCall } from "../approvals/waiting-call.ts";
import type { Call } from "../call.ts";
import { HaftError, messageOf } from "../errors.ts";
import { blocked, cancelled, pending } from "../outcome.ts";
import type { ToolOutcome } from "../result.ts";

/** Calls of one session that may wait at a time. */
const MAX_WAITING = 64;

/**
 * Has a person decide, where policy or a hook says so: what was granted before counts first. With somebody to
 * wait for, the call waits; otherwise it is answered as pending, and goes on once it is decided.
 */
export function askApprover(call: Call): undefined | Promise<ToolOutcome | undefined> {
  return call.decision!.effect === "ask" ? seekApproval(call) : undefined;
}

async function seekApproval(call: Call): Promise<ToolOutcome | undefined> {
  const { session } = call;
  // What a person looks at is what will run, whatever the caller does to its objects meanwhile.
  call.args = structuredClone(call.args);
  const grants = await coveringGrants(session, call);
  if (grants !== undefined && (await useGrants(session, grants))) {
    call.grantIds = grants.map(({ id }) => id);
    return undefined;
  }
  if (signalOf(call).aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
  if (session.settings.approvalMode === "deny") return nobodyThere(call);
  const refused = refuseToWait(call);
  if (refused) return refused;

  const waiting = new WaitingCall(call, requestOf(call), session.settings.approvalTimeoutMs);
  call.waiting = waiting;
  session.waiting.set(waiting.request.approvalId, waiting);
  announce(waiting);
  listen(waiting);
  if (session.settings.approvalMode === "wait") return afterDecision(call, await waiting.settled);
  waiting.letGo();
  return pending(call, waiting.request);
}

/** What follows from how the waiting ended: `undefined` lets the call go on. Only a clear yes does. */
export async function afterDecision(call: Call, settlement: Settlement): Promise<ToolOutcome | undefined> {
  const { session } = call;
  await session.approvals.removeRequest(call.waiting!.request.approvalId).catch(unheard(call));
  switch (settlement.kind) {
    case "aborted": {
      const reason: unknown = call.controller.signal.reason;
      return cancelled(
        call,
        "CANCELLED",
        typeof reason === "string" ? reason : "aborted while waiting for approval.",
        "none",
      );
    }
    case "late": {
      const minutes = session.settings.approvalTimeoutMs / 60_000;
      const reason = `Nobody decided within ${minutes} minutes; it was not run.`;
      return blocked(call, "APPROVAL_TIMEOUT", reason, "Ask again when somebody is there.");
    }
    case "failed":
      return blocked(
        call,
        "APPROVAL_FAILED",
        `The request for approval failed: ${messageOf(settlement.thrown)}`,
      );
    case "answered":
      return apply(call, settlement.answer);
  }
}

async function apply(call: Call, given: unknown): Promise<ToolOutcome | undefined> {
  const answer = readAnswer(given);
  call.approvedBy = answer?.by;
  switch (answer?.decision) {
    case "allow-once":
      return undefined;
    case "allow-always": {
      const problem = await remember(call.session, call, answer);
      if (problem !== undefined) {
        const message = `It was allowed this once only, and could not be remembered: ${problem}.`;
        call.session.settings.logger.warn(message, { call: call.id });
        call.notes.push(message);
      }
      return undefined;
    }
    case "deny": {
      const fix = "Do it another way, or ask the user what they prefer.";
      return blocked(call, "APPROVAL_DENIED", "The request was denied.", fix);
    }
    case undefined:
      return blocked(
        call,
        "APPROVAL_FAILED",
        "The answer to the request for approval was neither yes nor no.",
      );
  }
}

function requestOf(call: Call): ApprovalRequestRecord {
  const { session, decision } = call;
  const { id, name, effects } = call.tool!.facts;
  const requestedAt = Date.now();
  return {
    approvalId: newShortId((taken) => session.waiting.has(taken)),
    toolCallId: call.id,
    agentId: session.facts.agentId,
    sessionKey: session.key,
    sessionKind: session.facts.kind,
    tool: { id, name, effects },
    args: call.args,
    reason: decision!.reason,
    preview: previewOf(call),
    ...offersOf(session, call),
    requestedAt,
    expiresAt: requestedAt + session.settings.approvalTimeoutMs,
  };
}

function announce({ call, request, signal }: WaitingCall): void {
  const { session } = call;
  session.emit({
    type: "approval-requested",
    toolCallId: call.id,
    toolName: call.toolName,
    approvalId: request.approvalId,
    reason: request.reason,
    request,
  });
  signal.addEventListener("abort", () =>
    session.emit({
      type: "approval-settled",
      toolCallId: call.id,
      toolName: call.toolName,
      approvalId: request.approvalId,
    }),
  );
}

/** Hears whoever may decide it. An answer that comes from outside counts as much as one of the approver. */
function listen(waiting: WaitingCall): void {
  const { call, request, signal } = waiting;
  const { approvals, settings } = call.session;
  const settle = (answer: unknown) => waiting.settle({ kind: "answered", answer });
  approvals.addRequest(request).catch(unheard(call));
  approvals.answered(request.approvalId, signal).then(settle, unheard(call));
  if (settings.approvalMode !== "wait" || settings.approver === undefined || signal.aborted) return;
  const { approver } = settings;
  Promise.resolve()
    .then(() => approver.ask({ ...request, signal }))
    .then(settle, (thrown: unknown) => {
      if (HaftError.is(thrown) && thrown.code === "APPROVER_GONE") return;
      waiting.settle({ kind: "failed", thrown });
    });
}

/** The store is a help: without it a call can still be decided where it was asked. */
function unheard(call: Call): (thrown: unknown) => void {
  return (thrown) => {
    call.session.settings.logger.error("The store of approvals failed.", {
      call: call.id,
      thrown: messageOf(thrown),
    });
  };
}

function nobodyThere(call: Call): ToolOutcome {
  const reason = `${call.decision!.reason} Nobody can be asked here, so it was not run.`;
  const fix = call.decision!.fix ?? "Do it another way, or run it where somebody can answer.";
  return blocked(call, "APPROVAL_UNAVAILABLE", reason, fix, { decisionId: call.decision!.id });
}

/** A model that asks again and again must not pile up questions, nor have the same thing run twice. */
function refuseToWait(call: Call): ToolOutcome | undefined {
  const { waiting } = call.session;
  for (const { request, call: other } of waiting.values()) {
    if (other.key !== call.key) continue;
    return blocked(
      call,
      "APPROVAL_WAITING",
      `This exact call waits for approval already (id ${request.approvalId}).`,
      "Go on with something else, or tell the user what waits for them.",
      { approvalId: request.approvalId, duplicateOf: other.id },
    );
  }
  if (waiting.size < MAX_WAITING) return undefined;
  return blocked(
    call,
    "TOO_MANY_APPROVALS",
    `${waiting.size} calls of this session wait for approval already.`,
    "Have some of them decided first.",
  );
}
