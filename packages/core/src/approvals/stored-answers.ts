import type { ApprovalAnswer, ApprovalRequestRecord } from "../contract/approval-port.ts";
import { askStore, handleStoreFailure } from "./ask-store.ts";
import type { SubjectFacts } from "./grants.ts";
import { readApprovalAnswer } from "./read-answer.ts";
import type { ApprovalSession } from "./subject.ts";

/** Takes an answer to an earlier request for the same call, whose process ended. */
export async function takeStoredAnswer(
  session: ApprovalSession,
  subject: SubjectFacts,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  if (session.approvals.takeAnswer === undefined) return undefined;
  const which = whichCall(session, subject);
  const taken = await askStore(session, (store) => store.takeAnswer!(which), signal).catch(
    handleStoreFailure(session, undefined),
  );
  return readApprovalAnswer(taken?.answer);
}

export async function peekStoredAnswer(
  session: ApprovalSession,
  subject: SubjectFacts,
): Promise<{ verdict: "runs" | "denied"; effect: "allow" | "deny"; reason: string } | undefined> {
  if (session.approvals.peekAnswer === undefined) return undefined;
  const which = whichCall(session, subject);
  const stored = await askStore(session, (store) => store.peekAnswer!(which)).catch(
    handleStoreFailure(session, undefined),
  );
  const answer = readApprovalAnswer(stored?.answer);
  if (stored === undefined || answer === undefined) return undefined;
  const isNo = answer.decision === "deny";
  const reason = `An earlier request (${stored.approvalId}) for it was ${isNo ? "denied" : "allowed"} while no process waited. The next such call uses up the answer.`;
  return { verdict: isNo ? "denied" : "runs", effect: isNo ? "deny" : "allow", reason };
}

function whichCall(session: ApprovalSession, { exactKey }: SubjectFacts) {
  return { agentId: session.facts.agentId, sessionKey: session.key, exactKey };
}

/** Ensures that one call runs per answer. */
export async function claimAnswer(
  session: ApprovalSession,
  { request }: { readonly request: ApprovalRequestRecord },
): Promise<boolean> {
  if (session.approvals.takeAnswer === undefined) return true;
  return (await takeAnswer(session, request)) !== undefined;
}

export async function takeAnswer(
  session: ApprovalSession,
  { approvalId }: ApprovalRequestRecord,
): Promise<ApprovalAnswer | undefined> {
  const taken = await askStore(session, async (store) => store.takeAnswer?.({ approvalId })).catch(
    handleStoreFailure(session, undefined),
  );
  return readApprovalAnswer(taken?.answer);
}
