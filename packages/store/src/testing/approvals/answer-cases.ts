import type { ApprovalAnswer } from "@haft/core";
import { deepEqual, equal, notEqual } from "node:assert/strict";
import {
  ALLOW,
  type ApprovalStoresUnderTest,
  DENY,
  sampleRequest,
  SCOPE,
  readRequestState,
  takeRequest,
  waiter,
} from "./samples.ts";

type Case = (stores: ApprovalStoresUnderTest) => Promise<void>;

export const ANSWER_CASES: Readonly<Record<string, Case>> = {
  async "an open or unknown request has no answer to take"({ store }) {
    await store.addRequest(sampleRequest("open1234"));
    equal(await takeRequest(store, { approvalId: "open1234" }), undefined);
    equal(await takeRequest(store, { approvalId: "nothing1" }), undefined);
    equal(await takeRequest(store, { ...SCOPE, exactKey: "key of open1234" }), undefined);
    equal(await readRequestState(store, "open1234"), "open");
  },
  async "an answer is taken once, by any process, by id or by call"({ store, other }) {
    await store.addRequest(sampleRequest("once1234"));
    await other.answer("once1234", { ...ALLOW, by: "ada" });
    const byCall = { ...SCOPE, exactKey: "key of once1234" };
    const selectors = [byCall, { approvalId: "once1234" }, byCall, { approvalId: "once1234" }];
    const taken = await Promise.all(
      selectors.map((which, at) => takeRequest(at % 2 === 0 ? store : other, which)),
    );
    const given = taken.filter((one) => one !== undefined);
    deepEqual(given, [{ approvalId: "once1234", answer: { ...ALLOW, by: "ada" } }]);
    equal(await readRequestState(other, "once1234"), "decided");
  },
  async "a store that supports it can peek at an answer without using it"({ store, other }) {
    if (store.peekAnswer === undefined) return;
    await store.addRequest(sampleRequest("look1234"));
    const which = { ...SCOPE, exactKey: "key of look1234" };
    equal(await store.peekAnswer(which), undefined);
    await other.answer("look1234", ALLOW);
    const expected = { approvalId: "look1234", answer: ALLOW };
    for (let reads = 0; reads < 2; reads++) deepEqual(await store.peekAnswer(which), expected);
    equal(await store.peekAnswer({ ...which, sessionKey: "t" }), undefined);
    deepEqual(await takeRequest(other, which), expected);
    equal(await store.peekAnswer(which), undefined);
  },
  async "a denial is stored like an approval"({ store, other }) {
    await store.addRequest(sampleRequest("deny1234"));
    await store.answer("deny1234", DENY);
    const taken = await takeRequest(other, { ...SCOPE, exactKey: "key of deny1234" });
    deepEqual(taken?.answer, DENY);
  },
  async "an answer applies only to its agent, conversation and call"({ store }) {
    await store.addRequest(sampleRequest("mine1234"));
    await store.answer("mine1234", ALLOW);
    for (const which of [
      { agentId: "main", sessionKey: "t", exactKey: "key of mine1234" },
      { agentId: "other", sessionKey: "s", exactKey: "key of mine1234" },
      { agentId: "main", sessionKey: "s", exactKey: "key of another" },
      { agentId: "main", sessionKey: "s", exactKey: "" },
    ])
      equal(await takeRequest(store, which), undefined);
    equal(await readRequestState(store, "mine1234"), "answered");
  },
  async "a request without an exact key matches no call"({ store }) {
    const { exactKey: _, ...plain } = sampleRequest("bare1234");
    await store.addRequest(plain);
    await store.answer("bare1234", ALLOW);
    for (const exactKey of ["", "undefined", "null", "key of bare1234"])
      equal(await takeRequest(store, { ...SCOPE, exactKey }), undefined);
    notEqual(await takeRequest(store, { approvalId: "bare1234" }), undefined);
  },
  async "the same call elsewhere cannot take an answer that a process waits for"({ store, other }) {
    await store.addRequest(sampleRequest("wait1234"));
    const { answered, leave } = waiter(store, "wait1234");
    await other.answer("wait1234", ALLOW);
    await answered;
    equal(await takeRequest(other, { ...SCOPE, exactKey: "key of wait1234" }), undefined);
    notEqual(await takeRequest(store, { approvalId: "wait1234" }), undefined);
    leave();
  },
  async "the answer of a withdrawn request is not used"({ store, other }) {
    await store.addRequest(sampleRequest("back1234"));
    await other.answer("back1234", ALLOW);
    await store.removeRequest("back1234");
    equal(await takeRequest(store, { approvalId: "back1234" }), undefined);
    equal(await readRequestState(other, "back1234"), "withdrawn");
  },
  async "two requests for the same call have one answer each"({ store }) {
    for (const id of ["first123", "second12"]) {
      await store.addRequest(sampleRequest(id, { exactKey: "same" }));
      await store.answer(id, ALLOW);
    }
    const taken: (ApprovalAnswer | undefined)[] = [];
    for (let times = 0; times < 3; times++)
      taken.push((await takeRequest(store, { ...SCOPE, exactKey: "same" }))?.answer);
    deepEqual(taken, [ALLOW, ALLOW, undefined]);
  },
  async "the answering process learns whether the answer was taken"({ store, other }) {
    if (other.awaitDelivery === undefined) return;
    await store.addRequest(sampleRequest("kept1234"));
    await other.answer("kept1234", ALLOW);
    equal(await other.awaitDelivery("kept1234", 20), false);
    const delivered = other.awaitDelivery("kept1234", 60_000);
    const { answered, leave } = waiter(store, "kept1234");
    await answered;
    await takeRequest(store, { approvalId: "kept1234" });
    leave();
    equal(typeof (await delivered), "boolean");
    equal(await other.awaitDelivery("kept1234", 20), true);
    equal(await other.awaitDelivery("nothing1", 20), false);
  },
  async "the answering process learns of an answer that is taken after the wait has ended"({ store, other }) {
    if (other.awaitDelivery === undefined) return;
    await store.addRequest(sampleRequest("gone1234"));
    const { answered, leave } = waiter(store, "gone1234");
    await other.answer("gone1234", ALLOW);
    await answered;
    leave();
    const delivered = other.awaitDelivery("gone1234", 60_000);
    // A check in between would find no waiting process.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await takeRequest(store, { approvalId: "gone1234" });
    equal(await delivered, true);
  },
};
