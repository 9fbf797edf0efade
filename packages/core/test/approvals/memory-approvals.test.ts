import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer } from "../../src/contract/approval-port.ts";
import { grant, request } from "../support/approvals.ts";

const notFound = { code: "APPROVAL_NOT_FOUND" };
const once: ApprovalAnswer = { decision: "allow-once" };

describe("grants", () => {
  test("are those of a scope", async () => {
    const store = createMemoryApprovals();
    const ids = ["g1", "g2", "g3"];
    await store.addGrant(grant({ id: ids[0]! }));
    await store.addGrant(grant({ id: ids[1]!, sessionKey: "other" }));
    await store.addGrant(grant({ id: ids[2]!, agentId: "other" }));
    expect(await store.grants({ agentId: "main", sessionKey: "s" })).toMatchObject([{ id: "g1" }]);
    expect((await store.allGrants()).map(({ id }) => id)).toEqual(ids);
    expect(await store.grants({ agentId: "none", sessionKey: "s" })).toEqual([]);
  });

  test("that are over can be neither used, listed nor revoked", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const store = createMemoryApprovals();
    await store.addGrant(grant({ id: "short", expiresAt: Date.now() + 10 }));
    await store.addGrant(grant({ id: "long", expiresAt: Date.now() + 60_000 }));
    expect(await store.useGrant("short")).toBe(true);
    vi.setSystemTime(Date.now() + 15);
    expect(await store.useGrant("short")).toBe(false);
    expect(await store.revoke("short")).toBe(false);
    expect((await store.allGrants()).map(({ id }) => id)).toEqual(["long"]);
  });

  test("revoked, or never given", async () => {
    const store = createMemoryApprovals();
    await store.addGrant(grant());
    expect(await store.revoke("g1")).toBe(true);
    expect(await store.revoke("g1")).toBe(false);
    expect(await store.useGrant("g1")).toBe(false);
    expect(await store.useGrant("nothing")).toBe(false);
  });

  test("that were listed do not change under whoever looks at them", async () => {
    const store = createMemoryApprovals();
    await store.addGrant(grant());
    const [before] = await store.allGrants();
    await store.useGrant("g1");
    await store.useGrant("g1");
    expect(before).toMatchObject({ used: 0 });
    expect(await store.allGrants()).toMatchObject([{ used: 2, lastUsedAt: expect.any(Number) }]);
  });
});

describe("requests", () => {
  const waiting = async () => {
    const store = createMemoryApprovals();
    const controller = new AbortController();
    await store.addRequest(request());
    const answers: ApprovalAnswer[] = [];
    void store.answered("a2b3c4d5", controller.signal).then((answer) => answers.push(answer));
    return { store, controller, answers };
  };

  test("are answered once", async () => {
    const { store, answers } = await waiting();
    const told = await Promise.allSettled([
      store.answer("a2b3c4d5", once),
      store.answer("a2b3c4d5", { decision: "deny" }),
    ]);
    expect(told.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(answers).toEqual([once]);
    await expect(store.answer("a2b3c4d5", once)).rejects.toMatchObject(notFound);
    expect(await store.requests()).toEqual([]);
  });

  test("stay after an answer that is none, or allows what they do not offer", async () => {
    const { store, answers } = await waiting();
    const wrong = [
      ["yes", "INVALID_DECISION"],
      [undefined, "INVALID_DECISION"],
      [{ decision: "allow-always", forMs: -1 }, "INVALID_DECISION"],
      [{ decision: "allow-always", grant: "program" }, "INVALID_DECISION"],
    ] as const;
    for (const [answer, code] of wrong) {
      await expect(store.answer("a2b3c4d5", answer as ApprovalAnswer)).rejects.toMatchObject({ code });
    }
    expect(await store.requests()).toHaveLength(1);
    await store.answer("a2b3c4d5", once);
    expect(answers).toEqual([once]);
  });

  test("nobody waits for keep their answer, which is used up once, and tells nobody who gave up", async () => {
    const { store, controller, answers } = await waiting();
    controller.abort();
    await store.answer("a2b3c4d5", once);
    await expect(store.answer("a2b3c4d5", once)).rejects.toMatchObject(notFound);
    await expect(store.answer("nothing", once)).rejects.toMatchObject(notFound);
    expect(await store.takeAnswer!({ approvalId: "a2b3c4d5" })).toEqual({
      approvalId: "a2b3c4d5",
      answer: once,
    });
    expect(await store.takeAnswer!({ approvalId: "a2b3c4d5" })).toBeUndefined();
    expect(answers).toEqual([]);
  });

  test("are listed oldest first until their time is over, and not after they were removed", async () => {
    const store = createMemoryApprovals();
    await store.addRequest(request({ approvalId: "first" }));
    await store.addRequest(request({ approvalId: "over", expiresAt: Date.now() - 1 }));
    await store.addRequest(request({ approvalId: "second" }));
    expect((await store.requests()).map(({ approvalId }) => approvalId)).toEqual(["first", "second"]);
    await store.removeRequest("first");
    await store.removeRequest("nothing");
    expect((await store.requests()).map(({ approvalId }) => approvalId)).toEqual(["second"]);
  });
});
