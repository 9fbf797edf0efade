import { withoutUndefined, MAX_DELAY_MS } from "@haft/utils";
import type {
  ApprovalAnswer,
  ApprovalGrant,
  ApprovalRequestRecord,
  RiskMark,
} from "../contract/approval-port.ts";
import type { GrantOffer } from "../contract/plan.ts";
import { messageWithCauses } from "../format/causes.ts";
import { deepFreeze } from "../parameters/copy-json.ts";
import { askStore, handleStoreFailure } from "./ask-store.ts";
import { type CallParts, callParts, hashCallParts, locationParts } from "./call-parts.ts";
import { isPreviewComplete, createPreview, promptText } from "./preview.ts";
import { riskMarks, describeGrantObstacle } from "./risk/risk-marks.ts";
import type { ApprovalSession, ApprovalSubject } from "./subject.ts";

export type Offers = Pick<ApprovalRequestRecord, "offers" | "noAlways" | "noProgramGrant">;

export interface SubjectFacts extends Offers {
  readonly parts: CallParts;
  readonly exactKey: string;
  readonly marks: readonly RiskMark[];
}

export function describeSubject(session: ApprovalSession, call: ApprovalSubject): SubjectFacts {
  const parts = callParts(session, call);
  const exactKey = hashCallParts(call.tool.facts.id, "exact", parts);
  const marks = riskMarks({
    ...call,
    tool: call.tool.facts,
    mounts: session.workspace.describe().mounts,
  });
  return { parts, exactKey, marks, ...offersOf(session, call, exactKey, marks) };
}

function offersOf(
  session: ApprovalSession,
  call: ApprovalSubject,
  key: string,
  marks: readonly RiskMark[],
): Offers {
  const { plan, args, tool } = call;
  const isWhole = isPreviewComplete({ plan, args, toolName: tool.facts.name });
  const noAlways =
    call.decision.everyTime ?? plan?.noAlways ?? (isWhole ? undefined : "it is not shown completely");
  if (noAlways !== undefined) return { offers: [], noAlways };
  const command = plan?.subjects?.command;
  const inShell = command?.shell === undefined ? "" : `, in ${command.shell}`;
  const exact: GrantOffer = { kind: "exact", key, summary: call.summary() + inShell };
  // Program grants allow any arguments, so they exclude risky calls.
  const whyAlone = describeGrantObstacle(marks, command);
  const programs = (whyAlone === undefined ? (plan?.programs ?? []) : []).map((program): GrantOffer => ({
    kind: "program",
    key: programKey(session, call, program.key),
    summary: program.summary,
  }));
  const noProgramGrant = programs.length > 0 ? undefined : (plan?.noProgramGrant ?? whyAlone);
  return withoutUndefined({ offers: [exact, ...programs], noProgramGrant });
}

function programKey({ workspace }: ApprovalSession, { tool, plan }: ApprovalSubject, key: string): string {
  const { cwd } = plan?.subjects?.command ?? {};
  const where = locationParts(workspace, cwd === undefined ? [] : [cwd]);
  return hashCallParts(tool.facts.id, "program", { ...where, program: key });
}

/** Returns a grant for this call, or a grant for each program. `undefined`: approval is needed. */
export async function findCoveringGrants(
  session: ApprovalSession,
  call: ApprovalSubject,
  { offers }: Offers,
  signal?: AbortSignal,
): Promise<readonly ApprovalGrant[] | undefined> {
  const [exact, ...programs] = offers;
  if (exact === undefined) return undefined;
  const known = await grantsHere(session, call, signal).catch(
    handleStoreFailure(session, [], unreadable(call)),
  );
  const held = ({ kind, key }: GrantOffer) => known.find((grant) => grant.kind === kind && grant.key === key);
  const thisCall = held(exact);
  if (thisCall !== undefined) return [thisCall];
  const each = programs.map(held);
  if (each.length > 0 && each.every((grant) => grant !== undefined)) return [...new Set(each)];
  // An unreadable entry may be the missing grant.
  const problem = session.approvals.problem?.();
  if (problem !== undefined) call.storeFailed("APPROVALS_UNREADABLE", problem);
  return undefined;
}

function unreadable(call: ApprovalSubject): (why: string) => void {
  return (why) =>
    call.storeFailed(
      "APPROVALS_UNREADABLE",
      `Earlier grants could not be read, so they do not count: ${why}.`,
    );
}

async function grantsHere(
  session: ApprovalSession,
  { tool }: ApprovalSubject,
  signal?: AbortSignal,
): Promise<ApprovalGrant[]> {
  const scope = { agentId: session.facts.agentId, sessionKey: session.key };
  const known = await askStore(session, (store) => store.grants(scope), signal);
  const now = Date.now();
  return known.filter(
    ({ agentId, sessionKey, toolId, expiresAt }) =>
      agentId === scope.agentId &&
      sessionKey === scope.sessionKey &&
      toolId === tool.facts.id &&
      (expiresAt === undefined || expiresAt > now),
  );
}

/** Returns false for a revoked grant, or if unknown. */
export async function useGrants(
  session: ApprovalSession,
  call: ApprovalSubject,
  grants: readonly ApprovalGrant[],
  signal?: AbortSignal,
): Promise<boolean> {
  const used = await Promise.all(
    grants.map(({ id }) =>
      askStore(session, (store) => store.useGrant(id), signal).catch(
        handleStoreFailure(session, false, unreadable(call)),
      ),
    ),
  );
  return used.every((answer: unknown) => answer === true);
}

/** Returns the problem, if any; the call runs anyway. */
export async function storeGrant(
  session: ApprovalSession,
  call: ApprovalSubject,
  { offers, noAlways, noProgramGrant }: Offers,
  { grant: kind = "exact", forMs, by }: ApprovalAnswer,
): Promise<string | undefined> {
  const { everyTime } = call.decision;
  if (everyTime !== undefined) return everyTime;
  const wanted = offers.filter((offer) => offer.kind === kind);
  if (wanted.length === 0) return noAlways ?? noProgramGrant ?? "it has no program that a grant could cover";
  const createdAt = Date.now();
  const expiresAt = forMs === undefined ? undefined : createdAt + forMs;
  const until = expiresAt ?? Infinity;
  try {
    const known = await grantsHere(session, call);
    const isHeld = ({ key }: GrantOffer) =>
      known.some(
        (other) => other.kind === kind && other.key === key && (other.expiresAt ?? Infinity) >= until,
      );
    for (const { key, summary } of wanted.filter((offer) => !isHeld(offer))) {
      const grant: ApprovalGrant = withoutUndefined({
        id: newShortId((id) => known.some((other) => other.id === id)),
        agentId: session.facts.agentId,
        sessionKey: session.key,
        kind,
        toolId: call.tool.facts.id,
        key,
        summary,
        createdAt,
        expiresAt,
        by,
        used: 0,
      });
      await askStore(session, (store) => store.addGrant(grant));
    }
    return undefined;
  } catch (thrown) {
    return messageWithCauses(thrown);
  }
}

/** Freezes a copy, so that nothing can change the call. */
export function createApprovalRequest(
  session: ApprovalSession,
  call: ApprovalSubject & { readonly id: string; readonly toolName: string },
  { marks, ...subject }: SubjectFacts,
  { isTaken, timeoutMs }: { isTaken: (approvalId: string) => boolean; timeoutMs: number },
): ApprovalRequestRecord {
  const { id, name, effects } = call.tool.facts;
  const requestedAt = Date.now();
  const risks = marks.map((mark) => ({ ...mark, text: promptText(mark.text).replaceAll("\n", "\\n") }));
  const request = withoutUndefined<ApprovalRequestRecord>({
    approvalId: newShortId(isTaken),
    toolCallId: call.id,
    agentId: session.facts.agentId,
    sessionKey: session.key,
    sessionKind: session.facts.kind,
    tool: { id, name, effects },
    args: call.args,
    reason: call.decision.reason,
    preview: createPreview(call),
    risks: risks.length === 0 ? undefined : risks,
    ...subject,
    requestedAt,
    expiresAt: requestedAt + Math.min(timeoutMs, MAX_DELAY_MS),
    runId: session.runId,
  });
  return deepFreeze(structuredClone(request));
}

const LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 8;

export function newShortId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
    const id = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("");
    if (!isTaken(id)) return id;
  }
}
