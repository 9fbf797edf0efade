import { type ApprovalAnswer, HaftError, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { AskPerson } from "./agent-options.ts";

type Pending = Extract<ToolOutcome, { kind: "pending" }>;

/** Asks a person about a pending call. The first answer, here or elsewhere, decides; without one, the call remains pending. */
export async function decidePending(
  session: Session,
  pending: Pending,
  ask: AskPerson,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { approvalId, toolCallId } = pending;
  const ended = watchCallEnd(session, toolCallId);
  const settled = new AbortController();
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "approval-settled" && event.approvalId === approvalId) settled.abort();
    if (event.type === "session-closed") settled.abort();
  });
  try {
    const request = session.pendingApprovals().find((each) => each.approvalId === approvalId);
    if (request === undefined) return (await ended.within(signal)) ?? pending;
    const unneeded = AbortSignal.any([signal, settled.signal]);
    const answer = await Promise.race([answerOf(ask, request, unneeded), whenAborted(unneeded)]);
    if (signal.aborted) return pending;
    if (answer === undefined)
      return settled.signal.aborted ? ((await ended.within(signal)) ?? pending) : pending;
    try {
      return await session.resolveApproval(approvalId, answer);
    } catch (thrown) {
      if (HaftError.is(thrown) && thrown.code === "APPROVAL_NOT_FOUND")
        return (await ended.within(signal)) ?? pending;
      throw thrown;
    }
  } finally {
    unsubscribe();
    ended.stop();
  }
}

async function answerOf(
  ask: AskPerson,
  request: Parameters<AskPerson>[0],
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  try {
    return await ask(request, signal);
  } catch {
    return undefined;
  }
}

export function watchCallEnd(session: Session, toolCallId: string) {
  const { promise, resolve } = Promise.withResolvers<ToolOutcome | undefined>();
  const stop = session.subscribe((event) => {
    if (event.type === "tool-end" && event.toolCallId === toolCallId && event.outcome.kind !== "pending")
      resolve(event.outcome);
    if (event.type === "session-closed") resolve(undefined);
  });
  return {
    stop,
    /** `undefined` if the session closes or the signal aborts first. */
    within: (signal: AbortSignal) => Promise.race([promise, whenAborted(signal)]),
  };
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
