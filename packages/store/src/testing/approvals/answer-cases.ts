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
  async "where there is no answer, none is taken"({ store }) {
    await store.addRequest(sampleRequest("open1234"));
    equal(await takeRequest(store, { approvalId: "open1234" }), undefined);
    equal(await takeRequest(store, { approvalId: "nothing1" }), undefined);
    equal(await takeRequest(store, { ...SCOPE, exactKey: "key of open1234" }), undefined);
    equal(await readRequestState(store, "open1234"), "open");
  },
  async "an answer is taken once, whoever asks for it, and by whatever name"({ store, other }) {
    await store.addRequest(sampleRequest("once1234"));
    await other.answer("once1234", { ...ALLOW, by: "ada" });
    const byCall = { ...SCOPE, exactKey: "key of once1234" };
    const asked = [byCall, { approvalId: "once1234" }, byCall, { approvalId: "once1234" }];
    const taken = await Promise.all(
      asked.map((which, at) => takeRequest(at % 2 === 0 ? store : other, which)),
    );
    const given = taken.filter((one) => one !== undefined);
    deepEqual(given, [{ approvalId: "once1234", answer: { ...ALLOW, by: "ada" } }]);
    equal(await readRequestState(other, "once1234"), "decided");
  },
  async "an answer is looked at without being used up, where a store can"({ store, other }) {
    if (store.peekAnswer === undefined) return;
    await store.addRequest(sampleRequest("look1234"));
    const which = { ...SCOPE, exactKey: "key of look1234" };
    equal(await store.peekAnswer(which), undefined);
    await other.answer("look1234", ALLOW);
    const kept = { approvalId: "look1234", answer: ALLOW };
    for (let looks = 0; looks < 2; looks++) deepEqual(await store.peekAnswer(which), kept);
    equal(await store.peekAnswer({ ...which, sessionKey: "t" }), undefined);
    deepEqual(await takeRequest(other, which), kept);
    equal(await store.peekAnswer(which), undefined);
  },
  async "a no is kept as a yes is"({ store, other }) {
    await store.addRequest(sampleRequest("deny1234"));
    await store.answer("deny1234", DENY);
    const taken = await takeRequest(other, { ...SCOPE, exactKey: "key of deny1234" });
    deepEqual(taken?.answer, DENY);
  },
  async "an answer is for its agent, its conversation and its call alone"({ store }) {
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
  async "a request without the identity of its call is met by none"({ store }) {
    const { exactKey: _, ...plain } = sampleRequest("bare1234");
    await store.addRequest(plain);
    await store.answer("bare1234", ALLOW);
    for (const exactKey of ["", "undefined", "null", "key of bare1234"])
      equal(await takeRequest(store, { ...SCOPE, exactKey }), undefined);
    notEqual(await takeRequest(store, { approvalId: "bare1234" }), undefined);
  },
  async "an answer that somebody waits for is not met by the same call made elsewhere"({ store, other }) {
    await store.addRequest(sampleRequest("wait1234"));
    const { answered, leave } = waiter(store, "wait1234");
    await other.answer("wait1234", ALLOW);
    await answered;
    equal(await takeRequest(other, { ...SCOPE, exactKey: "key of wait1234" }), undefined);
    notEqual(await takeRequest(store, { approvalId: "wait1234" }), undefined);
    leave();
  },
  async "an answer whose request is taken back meanwhile is not used"({ store, other }) {
    await store.addRequest(sampleRequest("back1234"));
    await other.answer("back1234", ALLOW);
    await store.removeRequest("back1234");
    equal(await takeRequest(store, { approvalId: "back1234" }), undefined);
    equal(await readRequestState(other, "back1234"), "withdrawn");
  },
  async "of the same call asked about twice, each answer is used once"({ store }) {
    for (const id of ["first123", "second12"]) {
      await store.addRequest(sampleRequest(id, { exactKey: "same" }));
      await store.answer(id, ALLOW);
    }
    const taken: (ApprovalAnswer | undefined)[] = [];
    for (let times = 0; times < 3; times++)
      taken.push((await takeRequest(store, { ...SCOPE, exactKey: "same" }))?.answer);
    deepEqual(taken, [ALLOW, ALLOW, undefined]);
  },
  async "whoever answered is told whether somebody took it"({ store, other }) {
    if (other.awaitDelivery === undefined) return;
    await store.addRequest(sampleRequest("kept1234"));
    await other.answer("kept1234", ALLOW);
    equal(await other.awaitDelivery("kept1234", 20), false);
    const heard = other.awaitDelivery("kept1234", 60_000);
    const { answered, leave } = waiter(store, "kept1234");
    await answered;
    await takeRequest(store, { approvalId: "kept1234" });
    leave();
    // If no process waited at the start, this was the answer.
    equal(typeof (await heard), "boolean");
    equal(await other.awaitDelivery("kept1234", 20), true);
    equal(await other.awaitDelivery("nothing1", 20), false);
  },
  async "so they are where whoever waited leaves before it takes the answer, as calls do"({ store, other }) {
    if (other.awaitDelivery === undefined) return;
    await store.addRequest(sampleRequest("gone1234"));
    const { answered, leave } = waiter(store, "gone1234");
    await other.answer("gone1234", ALLOW);
    await answered;
    leave();
    const heard = other.awaitDelivery("gone1234", 60_000);
    // A check in between would find no waiting process.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await takeRequest(store, { approvalId: "gone1234" });
    equal(await heard, true);
  },
};
