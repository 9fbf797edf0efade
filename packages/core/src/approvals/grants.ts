import type { ApprovalAnswer, ApprovalGrant } from "../approval-port.ts";
import type { Call } from "../call.ts";
import { canonicalText, sha256 } from "../digest.ts";
import { messageOf } from "../errors.ts";
import type { GrantOffer } from "../plan.ts";
import type { SessionState } from "../session-state.ts";
import { newShortId } from "./short-id.ts";

/** The call, as far as grants are concerned. */
export type GrantSubject = Pick<Call, "tool" | "args" | "plan" | "decision" | "toolName"> & {
  summary(): string;
};

/** What `allow-always` could cover. */
export interface Offers {
  offers: GrantOffer[];
  noAlways?: string;
  noProgramGrant?: string;
}

export function offersOf(session: SessionState, call: GrantSubject): Offers {
  const { plan } = call;
  const noAlways = call.decision?.everyTime ?? plan?.noAlways;
  if (noAlways !== undefined) return { offers: [], noAlways };
  const exact: GrantOffer = { kind: "exact", key: exactKey(session, call), summary: call.summary() };
  const programs = plan?.programs ?? [];
  const noProgramGrant = programs.length > 0 ? undefined : plan?.noProgramGrant;
  return { offers: [exact, ...programs], ...(noProgramGrant === undefined ? {} : { noProgramGrant }) };
}

/**
 * Identity of this very call in this workspace, with all its arguments (also those a tool calls volatile) and all
 * that its plan ties it to: allowed is what was shown.
 */
function exactKey({ workspace }: SessionState, { tool, args, plan }: GrantSubject): string {
  const what = plan?.identity ?? canonicalText(args);
  return sha256(canonicalText([tool!.facts.id, what, plan?.binding ?? "", workspace.describe().cwd]));
}

/**
 * The grants that let a call through: the one for this exact call, or one for each of its programs. `undefined` when
 * something is not covered.
 */
export async function coveringGrants(
  session: SessionState,
  call: GrantSubject,
): Promise<readonly ApprovalGrant[] | undefined> {
  const { offers } = offersOf(session, call);
  if (offers.length === 0) return undefined;
  const known = await session.approvals.grants({ agentId: session.facts.agentId, sessionKey: session.key });
  const held = ({ kind, key }: GrantOffer) =>
    known.find((grant) => grant.toolId === call.tool!.facts.id && grant.kind === kind && grant.key === key);
  const exact = held(offers[0]!);
  if (exact !== undefined) return [exact];
  const programs = offers.slice(1).map(held);
  return programs.length > 0 && programs.every((grant) => grant !== undefined) ? programs : undefined;
}

/** Counts the use of grants. False when one was revoked meanwhile. */
export async function useGrants(session: SessionState, grants: readonly ApprovalGrant[]): Promise<boolean> {
  const used = await Promise.all(grants.map(({ id }) => session.approvals.useGrant(id)));
  return used.every(Boolean);
}

/**
 * Remembers an `allow-always`. The call itself runs whatever becomes of that: somebody said yes to it. Answers
 * what could not be remembered, and why.
 */
export async function remember(
  session: SessionState,
  call: GrantSubject,
  { grant: kind = "exact", forMs, by }: ApprovalAnswer,
): Promise<string | undefined> {
  const { offers, noAlways, noProgramGrant } = offersOf(session, call);
  const wanted = offers.filter((offer) => offer.kind === kind);
  if (wanted.length === 0) return noAlways ?? noProgramGrant ?? "there is no program to remember";
  const createdAt = Date.now();
  try {
    const { agentId } = session.facts;
    const known = await session.approvals.grants({ agentId, sessionKey: session.key });
    const missing = wanted.filter(
      ({ key }) => !known.some((other) => other.kind === kind && other.key === key),
    );
    for (const { key, summary } of missing) {
      await session.approvals.addGrant({
        id: newShortId((id) => known.some((other) => other.id === id)),
        agentId,
        sessionKey: session.key,
        kind,
        toolId: call.tool!.facts.id,
        key,
        summary,
        createdAt,
        ...(forMs === undefined ? {} : { expiresAt: createdAt + forMs }),
        ...(by === undefined ? {} : { by }),
        used: 0,
      });
    }
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
