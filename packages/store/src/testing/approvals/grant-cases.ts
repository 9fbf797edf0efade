import { deepEqual, equal } from "node:assert/strict";
import { type ApprovalStoresUnderTest, sampleGrant } from "./samples.ts";

type Case = (stores: ApprovalStoresUnderTest) => Promise<void>;

export const GRANT_CASES: Readonly<Record<string, Case>> = {
  async "an unused id is not a grant"({ store }) {
    for (const id of ["nothing1", "", "../x", "__proto__"])
      deepEqual([await store.useGrant(id), await store.revoke(id)], [false, false]);
  },
  async "a revoked grant allows nothing in any process"({ store, other }) {
    await store.addGrant(sampleGrant("gone1234"));
    deepEqual([await other.revoke("gone1234"), await store.revoke("gone1234")], [true, false]);
    equal(await store.useGrant("gone1234"), false);
    deepEqual(await store.allGrants(), []);
  },
  async "an expired grant allows nothing"({ store, other }) {
    await store.addGrant(sampleGrant("over1234", { expiresAt: Date.now() - 1 }));
    equal(await other.useGrant("over1234"), false);
    deepEqual(await other.allGrants(), []);
    equal(await store.revoke("over1234"), false);
  },
  async "a grant applies only to its agent and conversation"({ store, other }) {
    await store.addGrant(sampleGrant("mine1234", { agentId: "a", sessionKey: "s" }));
    const scopes = [
      { agentId: "a", sessionKey: "s" },
      { agentId: "a", sessionKey: "t" },
      { agentId: "b", sessionKey: "s" },
      { agentId: "", sessionKey: "" },
    ];
    const found = await Promise.all(scopes.map((scope) => other.grants(scope)));
    deepEqual(
      found.map((grants) => grants.length),
      [1, 0, 0, 0],
    );
    equal((await other.allGrants()).length, 1);
  },
  async "uses by all processes are counted"({ store, other }) {
    await store.addGrant(sampleGrant("used1234"));
    equal((await other.allGrants())[0]?.used, 0);
    const uses = Array.from({ length: 6 }, (_, at) => (at % 2 === 0 ? store : other).useGrant("used1234"));
    deepEqual(
      await Promise.all(uses),
      Array.from({ length: 6 }, () => true),
    );
    const [grant] = await store.allGrants();
    equal(grant?.used, 6);
    equal(typeof grant.lastUsedAt, "number");
  },
  async "all grants are listed"({ store, other }) {
    const now = Date.now();
    await store.addGrant(sampleGrant("later123", { createdAt: now }));
    await store.addGrant(sampleGrant("first123", { createdAt: now - 5 }));
    const ids = (await other.allGrants()).map(({ id }) => id);
    deepEqual(ids.toSorted(), ["first123", "later123"]);
  },
};
