import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import type { ApprovalGrant, ApprovalStore } from "@haft/core/kernel";
import { equal, rejects } from "node:assert/strict";

/**
 * Contains an empty store, opened twice as by two processes.
 *
 * @example
 * ```ts
 * import { openSqliteStore } from "@haft/store";
 * import type { ApprovalStoresUnderTest } from "@haft/store/testing";
 * const open = () => openSqliteStore({ path: "/tmp/approvals-under-test.db" }).approvals;
 * const stores: ApprovalStoresUnderTest = { store: open(), other: open() };
 * ```
 */
export interface ApprovalStoresUnderTest {
  /** Belongs to the process that asks. */
  readonly store: ApprovalStore;
  /** Belongs to the process that answers. */
  readonly other: ApprovalStore;
}

export const ALLOW: ApprovalAnswer = { decision: "allow-once" };
export const DENY: ApprovalAnswer = { decision: "deny" };
export const SCOPE = { agentId: "main", sessionKey: "s" };

export function sampleRequest(
  approvalId: string,
  about: Partial<ApprovalRequestRecord> = {},
): ApprovalRequestRecord {
  const requestedAt = Date.now();
  return {
    ...SCOPE,
    approvalId,
    toolCallId: "call_1",
    sessionKind: "group",
    tool: { id: "exec/exec", name: "exec", effects: ["execute"] },
    args: { command: "echo hush-hush" },
    reason: "exec needs approval.",
    preview: [{ type: "text", text: "echo …" }],
    offers: [{ kind: "exact", key: "k", summary: "exec echo" }],
    requestedAt,
    expiresAt: requestedAt + 60_000,
    exactKey: `key of ${approvalId}`,
    parts: { arguments: "a digest" },
    ...about,
  };
}

export function sampleGrant(id: string, about: Partial<ApprovalGrant> = {}): ApprovalGrant {
  return {
    ...SCOPE,
    id,
    kind: "exact",
    toolId: "exec/exec",
    key: `key of ${id}`,
    summary: "exec echo",
    createdAt: Date.now(),
    used: 0,
    ...about,
  };
}

export function waiter(store: ApprovalStore, approvalId: string) {
  const controller = new AbortController();
  const received: ApprovalAnswer[] = [];
  const answered = store
    .waitForAnswer(approvalId, controller.signal)
    .then((answer) => void received.push(answer));
  return { received, answered, leave: () => controller.abort() };
}

export async function expectRefusal(work: Promise<unknown>, code: string, state?: string): Promise<void> {
  await rejects(work, (thrown: { code?: string; details?: { state?: string } }) => {
    equal(thrown.code, code);
    if (state !== undefined) equal(thrown.details?.state, state);
    return true;
  });
}

export async function listRequestIds(store: ApprovalStore): Promise<string[]> {
  return (await store.requests()).map(({ approvalId }) => approvalId);
}

export async function readRequestState(
  store: ApprovalStore,
  approvalId: string,
): Promise<string | undefined> {
  return (await store.find!(approvalId))?.state;
}

export async function takeRequest(
  store: ApprovalStore,
  which: Parameters<NonNullable<ApprovalStore["takeAnswer"]>>[0],
) {
  return store.takeAnswer!(which);
}
