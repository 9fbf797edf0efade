import type { ApprovalAnswer } from "@haft/core";
import { deepEqual, equal, rejects } from "node:assert/strict";
import {
  ALLOW,
  type ApprovalStoresUnderTest,
  DENY,
  listRequestIds,
  expectRefusal,
  sampleRequest,
  readRequestState,
  waiter,
} from "./samples.ts";

type Case = (stores: ApprovalStoresUnderTest) => Promise<void>;

export const REQUEST_CASES: Readonly<Record<string, Case>> = {
  async "an unused id is unknown"({ store }) {
    for (const id of ["nothing1", "", "../x", "__proto__"]) {
      await expectRefusal(store.answer(id, ALLOW), "APPROVAL_NOT_FOUND", "unknown");
      await store.removeRequest(id);
      equal(await readRequestState(store, id), undefined);
    }
    deepEqual(await listRequestIds(store), []);
  },
  async "an invalid answer or an answer that is not offered is rejected, and the request remains"({
    store,
    other,
  }) {
    const none = { offers: [], noAlways: "every call is asked about" };
    await store.addRequest(sampleRequest("wait1234", none));
    for (const given of [{ decision: "yes" }, {}, { decision: "allow-once", grant: "exact" }, null])
      await expectRefusal(other.answer("wait1234", given as unknown as ApprovalAnswer), "INVALID_DECISION");
    await expectRefusal(other.answer("wait1234", { decision: "allow-always" }), "INVALID_DECISION");
    deepEqual(await listRequestIds(other), ["wait1234"]);
    await other.answer("wait1234", DENY);
    equal(await readRequestState(store, "wait1234"), "answered");
  },
  async "an expired request is not listed, cannot be answered, and has the state expired"({ store, other }) {
    const now = Date.now();
    await store.addRequest(sampleRequest("over1234", { requestedAt: now - 9, expiresAt: now - 1 }));
    deepEqual(await listRequestIds(other), []);
    await expectRefusal(other.answer("over1234", ALLOW), "APPROVAL_NOT_FOUND", "expired");
    await store.removeRequest("over1234", "withdrawn");
    equal(await readRequestState(other, "over1234"), "expired");
  },
  async "a removed request has the state withdrawn and delivers no answer"({ store, other }) {
    await store.addRequest(sampleRequest("gone1234"));
    const { received, leave } = waiter(store, "gone1234");
    await store.removeRequest("gone1234");
    await expectRefusal(other.answer("gone1234", ALLOW), "APPROVAL_NOT_FOUND", "withdrawn");
    deepEqual(received, []);
    leave();
  },
  async "a request decided by its own process has the state decided"({ store, other }) {
    await store.addRequest(sampleRequest("here1234"));
    await store.removeRequest("here1234", "decided");
    await expectRefusal(other.answer("here1234", ALLOW), "APPROVAL_NOT_FOUND", "decided");
  },
  async "a second answer is rejected and changes nothing"({ store, other }) {
    await store.addRequest(sampleRequest("once1234"));
    const { received, answered, leave } = waiter(store, "once1234");
    await other.answer("once1234", { ...ALLOW, by: "ada" });
    await answered;
    await expectRefusal(other.answer("once1234", DENY), "APPROVAL_NOT_FOUND");
    deepEqual(received, [{ ...ALLOW, by: "ada" }]);
    deepEqual(await listRequestIds(store), []);
    leave();
  },
  async "of many parallel answers, one counts"({ store, other }) {
    await store.addRequest(sampleRequest("race1234"));
    const { received, answered, leave } = waiter(store, "race1234");
    const given = ["ada", "bob", "eve", "joe"].map((by, at) =>
      (at % 2 === 0 ? store : other).answer("race1234", { ...ALLOW, by }),
    );
    const all = await Promise.allSettled(given);
    await answered;
    equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    equal(received.length, 1);
    leave();
  },
  async "an answer after the wait was given up is not delivered, but stored"({ store, other }) {
    await store.addRequest(sampleRequest("late1234"));
    const { received, leave } = waiter(store, "late1234");
    leave();
    await other.answer("late1234", ALLOW);
    deepEqual(received, []);
    equal(await readRequestState(store, "late1234"), "answered");
  },
  async "a wait that starts after the answer receives it"({ store, other }) {
    await store.addRequest(sampleRequest("soon1234"));
    await other.answer("soon1234", DENY);
    const { received, answered, leave } = waiter(store, "soon1234");
    await answered;
    deepEqual(received, [DENY]);
    leave();
  },
  async "an answer affects only its own request"({ store, other }) {
    await store.addRequest(sampleRequest("one12345"));
    await store.addRequest(sampleRequest("two12345"));
    const [one, two] = [waiter(store, "one12345"), waiter(store, "two12345")];
    await other.answer("two12345", DENY);
    await two.answered;
    deepEqual([one.received, two.received], [[], [DENY]]);
    one.leave();
    two.leave();
  },
  async "an id cannot be used twice"({ store, other }) {
    await store.addRequest(sampleRequest("same1234"));
    await rejects(other.addRequest(sampleRequest("same1234", { args: { command: "rm -rf /" } })));
    const found = await store.find!("same1234");
    deepEqual(found?.request.args, { command: "echo hush-hush" });
  },
  async "open requests are listed completely, oldest first, with their attendance"({ store, other }) {
    const now = Date.now();
    await store.addRequest(sampleRequest("first123", { requestedAt: now - 8 }));
    await store.addRequest(sampleRequest("second12", { requestedAt: now - 7, runId: "r1" }));
    const { leave } = waiter(store, "second12");
    const listed = await other.requests();
    deepEqual(
      listed.map(({ approvalId, args, runId }) => [approvalId, args, runId]),
      [
        ["first123", { command: "echo hush-hush" }, undefined],
        ["second12", { command: "echo hush-hush" }, "r1"],
      ],
    );
    equal(listed[1]?.attended, true);
    leave();
    const later = await other.requests();
    equal(later[1]?.attended, false);
  },
  async "a settled request contains no arguments, parts or preview"({ store, other }) {
    await store.addRequest(sampleRequest("over1234"));
    await store.removeRequest("over1234");
    const found = await other.find!("over1234");
    equal(found?.request.args, undefined);
    equal(found?.request.parts, undefined);
    deepEqual(found?.request.preview, []);
  },
};
