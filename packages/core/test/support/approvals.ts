import { until as waitUntil } from "../../../../test/support/until.ts";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type {
  ApprovalGrant,
  ApprovalRequestRecord,
  ApprovalStore,
} from "../../src/contract/approval-port.ts";
import type { CallPlan } from "../../src/contract/plan.ts";
import type { Decision, Policy } from "../../src/contract/policy-port.ts";
import type { AnyTool } from "../../src/contract/tool.ts";
import type { Session } from "../../src/session/session.ts";
import { answer, decide, echo, openSession, createTestPolicy, type TestSession } from "./kernel.ts";

export const alwaysAskPolicy = createTestPolicy({ call: () => "ask" });

/** Asks about every call, every time. */
export const askEveryTimePolicy: Policy = policyWith({ ...decide("ask"), everyTime: "ask is always" });

function policyWith(decision: Decision): Policy {
  const session = { visibility: () => decide("allow"), call: () => decision };
  return { forSession: () => session };
}

/** A tool `act` with one text parameter, and the values it ran with. */
export function createActTool(parts: Partial<AnyTool> = {}): { tool: AnyTool; ran: string[] } {
  const ran: string[] = [];
  const execute: AnyTool["execute"] = (_id, { value }: { value: string }) => {
    ran.push(value);
    return answer(value);
  };
  return { tool: echo("act", { execute, effects: ["write"], ...parts }), ran };
}

/** A session that asks about every call of `act`. */
export async function openAskingSession(setup: TestSession & { tool?: Partial<AnyTool> } = {}) {
  const { tool: parts, ...rest } = setup;
  const { tool, ran } = createActTool(parts);
  const session = await openSession({ tools: [tool], policy: alwaysAskPolicy, ...rest });
  return { session, ran, act: createActCall(session) };
}

export function createActCall(session: Session) {
  return (value: string, id?: string) =>
    session.call({ ...(id === undefined ? {} : { id }), name: "act", arguments: { value } });
}

/** Id of the call that waits. */
export function getWaitingId(session: Session): string {
  return session.pendingApprovals()[0]!.approvalId;
}

/** Waits for it. */
export const until = (holds: () => boolean | Promise<boolean>): Promise<void> =>
  waitUntil("what the test waits for", holds);

/** A plan with programs, each identified by its name. */
export function createProgramsPlan(...names: string[]): CallPlan {
  return {
    programs: names.map((name) => ({ kind: "program", key: `/bin/${name}`, summary: `${name} here` })),
  };
}

export function createGrant(parts: Partial<ApprovalGrant> = {}): ApprovalGrant {
  return {
    id: "g1",
    kind: "exact",
    agentId: "main",
    sessionKey: "s",
    toolId: "t/act",
    key: "k",
    summary: "act",
    createdAt: Date.now(),
    used: 0,
    ...parts,
  };
}

export function createRequest(parts: Partial<ApprovalRequestRecord> = {}): ApprovalRequestRecord {
  return {
    approvalId: "a2b3c4d5",
    toolCallId: "1",
    agentId: "main",
    sessionKey: "s",
    sessionKind: "main",
    tool: { id: "t/act", name: "act", effects: ["write"] },
    args: { value: "a" },
    reason: "The session table asks.",
    preview: [{ type: "text", text: "act a" }],
    offers: [{ kind: "exact", key: "k", summary: "act a" }],
    requestedAt: Date.now(),
    expiresAt: Date.now() + 60_000,
    ...parts,
  };
}

/** The store in memory, with some methods replaced. */
export function createStore(parts: Partial<ApprovalStore>): ApprovalStore {
  const store = createMemoryApprovals();
  const methods = [
    "grants",
    "allGrants",
    "addGrant",
    "useGrant",
    "revoke",
    "addRequest",
    "removeRequest",
  ] as const;
  const more = ["requests", "answer", "waitForAnswer"] as const;
  const bound = Object.fromEntries([...methods, ...more].map((name) => [name, store[name].bind(store)]));
  return { ...(bound as unknown as ApprovalStore), ...parts };
}
