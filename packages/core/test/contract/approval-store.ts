import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalStore } from "../../src/contract/approval-port.ts";
import { sampleGrant, sampleRequest } from "../support/approval-samples.ts";

const never = new AbortController().signal;
const allow: ApprovalAnswer = { decision: "allow-once" };
const code = (code: string): unknown => expect.objectContaining({ code });

/**
 * What every store of approvals does, whatever it keeps them in.
 *
 * @param open an empty store, closed by whoever made it
 */
export function approvalStoreContract(
  name: string,
  open: () => ApprovalStore | Promise<ApprovalStore>,
): void {
  /** A request that waits for its answer, and what it was answered. */
  async function aWaiting(store: ApprovalStore, id: string, about: Parameters<typeof sampleRequest>[1] = {}) {
    await store.addRequest(sampleRequest(id, about));
    const received: ApprovalAnswer[] = [];
    const controller = new AbortController();
    const answered = store.waitForAnswer(id, controller.signal).then((answer) => void received.push(answer));
    return { received, answered, giveUp: () => controller.abort() };
  }

  describe(`${name}: requests`, () => {
    test.each(["nothing1", "", "../x", "__proto__"])("there is none of the id %j", async (id) => {
      const store = await open();
      await expect(store.answer(id, allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
      await store.removeRequest(id);
      expect(await store.requests()).toEqual([]);
    });

    test("one that is answered is not found any more", async () => {
      const store = await open();
      const { received, answered } = await aWaiting(store, "once1234");
      await store.answer("once1234", { ...allow, by: "ada" });
      await answered;
      await expect(store.answer("once1234", { decision: "deny" })).rejects.toEqual(
        code("APPROVAL_NOT_FOUND"),
      );
      expect(received).toEqual([{ ...allow, by: "ada" }]);
      expect(await store.requests()).toEqual([]);
    });

    test("of many answers at once one counts", async () => {
      const store = await open();
      const { received, answered } = await aWaiting(store, "race1234");
      const by = ["ada", "bob", "eve", "joe"];
      const all = await Promise.allSettled(by.map((one) => store.answer("race1234", { ...allow, by: one })));
      await answered;
      expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(received).toHaveLength(1);
    });

    test("one that was taken back is not found, and tells nobody", async () => {
      const store = await open();
      const { received } = await aWaiting(store, "gone1234");
      await store.removeRequest("gone1234");
      await expect(store.answer("gone1234", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
      expect(received).toEqual([]);
    });

    test("who has given up waiting is told nothing", async () => {
      const store = await open();
      const { received, giveUp } = await aWaiting(store, "late1234");
      giveUp();
      await store.answer("late1234", allow).catch(() => {});
      expect(received).toEqual([]);
    });

    test("an answer that is none, or is not offered, is refused, and the request stays", async () => {
      const store = await open();
      const none = { offers: [], noAlways: "every call is asked about" };
      const { received, answered } = await aWaiting(store, "wait1234", none);
      for (const given of [{ decision: "yes" }, {}, { decision: "allow-once", grant: "exact" }] as never[])
        await expect(store.answer("wait1234", given)).rejects.toEqual(code("INVALID_DECISION"));
      await expect(store.answer("wait1234", { decision: "allow-always" })).rejects.toEqual(
        code("INVALID_DECISION"),
      );
      expect((await store.requests()).map(({ approvalId }) => approvalId)).toEqual(["wait1234"]);
      await store.answer("wait1234", { decision: "deny" });
      await answered;
      expect(received).toEqual([{ decision: "deny" }]);
    });

    test("those that are over are not listed; the others are, oldest first", async () => {
      const store = await open();
      const now = Date.now();
      await store.addRequest(sampleRequest("over1234", { requestedAt: now - 9, expiresAt: now - 1 }));
      await store.addRequest(sampleRequest("first123", { requestedAt: now - 8 }));
      await store.addRequest(sampleRequest("second12", { requestedAt: now - 7 }));
      const ids = (await store.requests()).map(({ approvalId }) => approvalId);
      expect(ids).toEqual(["first123", "second12"]);
    });

    test("each is answered by itself", async () => {
      const store = await open();
      const [one, other] = [await aWaiting(store, "one12345"), await aWaiting(store, "other123")];
      await store.answer("other123", { decision: "deny" });
      await other.answered;
      expect([one.received, other.received]).toEqual([[], [{ decision: "deny" }]]);
    });

    test("whoever waits for what was never asked waits", async () => {
      const store = await open();
      let received = false;
      void store.waitForAnswer("never123", never).then(() => (received = true));
      await expect(store.answer("never123", allow)).rejects.toEqual(code("APPROVAL_NOT_FOUND"));
      expect(received).toBe(false);
      await store.removeRequest("never123");
    });
  });

  describe(`${name}: grants`, () => {
    test.each(["nothing1", "", "../x", "__proto__"])("there is none of the id %j", async (id) => {
      const store = await open();
      expect([await store.useGrant(id), await store.revoke(id)]).toEqual([false, false]);
    });

    test("one that is revoked lets nothing through", async () => {
      const store = await open();
      await store.addGrant(sampleGrant("gone1234"));
      expect([await store.revoke("gone1234"), await store.revoke("gone1234")]).toEqual([true, false]);
      expect(await store.useGrant("gone1234")).toBe(false);
      expect(await store.allGrants()).toEqual([]);
    });

    test("one that is over lets nothing through", async () => {
      const store = await open();
      await store.addGrant(sampleGrant("over1234", { expiresAt: Date.now() - 1 }));
      expect(await store.useGrant("over1234")).toBe(false);
      expect(await store.allGrants()).toEqual([]);
      expect(await store.revoke("over1234")).toBe(false);
    });

    test("one holds for its agent and its conversation alone", async () => {
      const store = await open();
      await store.addGrant(sampleGrant("mine1234", { agentId: "a", sessionKey: "s" }));
      const scopes = [
        { agentId: "a", sessionKey: "s" },
        { agentId: "a", sessionKey: "t" },
        { agentId: "b", sessionKey: "s" },
        { agentId: "", sessionKey: "" },
      ];
      const found = await Promise.all(scopes.map((scope) => store.grants(scope)));
      expect(found.map((grants) => grants.length)).toEqual([1, 0, 0, 0]);
      expect(await store.allGrants()).toHaveLength(1);
    });

    test("uses are counted", async () => {
      const store = await open();
      await store.addGrant(sampleGrant("used1234"));
      expect(await store.allGrants()).toMatchObject([{ used: 0 }]);
      await Promise.all(Array.from({ length: 5 }, () => store.useGrant("used1234")));
      const [grant] = await store.allGrants();
      expect(grant).toMatchObject({ id: "used1234", used: 5, lastUsedAt: expect.any(Number) });
    });
  });
}
