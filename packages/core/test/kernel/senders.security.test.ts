import { expect, test } from "vitest";
import type { Policy, SessionFacts } from "../../src/contract/policy-port.ts";
import { answer, getCode, decide, echo, openSession } from "../support/kernel.ts";
import { createCountingTool, openRecordedSession, send, testStore } from "../support/ledger.ts";

/** Denies every call that answers Mallory, and asks about those that answer Carol. */
const bySender: Policy = {
  forSession({ sender }: SessionFacts) {
    const id = typeof sender === "object" ? sender.id : undefined;
    const effect = id === "mallory" ? "deny" : id === "carol" ? "ask" : "allow";
    return { visibility: () => decide("allow"), call: () => decide(effect) };
  },
};
const mallory = { sender: { id: "mallory" } };
const ada = { sender: { id: "ada" } };

test("explains by the rules of the given sender", async () => {
  const session = await openSession({ tools: [echo()], policy: bySender });
  const verdict = async (options: object) => (await session.explain("echo", { value: "x" }, options)).verdict;
  expect(await verdict({})).toBe("runs");
  expect(await verdict(mallory)).toBe("denied");
  expect(await verdict({ sender: { id: "carol" } })).toBe("asks");
  await expect(verdict({ sendr: { id: "mallory" } })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  await expect(verdict({ sender: "mallory" })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
});

test("does not run a request that names a sender itself", async () => {
  const { tool, runs } = createCountingTool();
  const session = await openSession({ tools: [tool], policy: bySender });
  const outcome = await session.call({ ...send(undefined, "hello"), ...mallory });
  expect(getCode(outcome)).toBe("INVALID_REQUEST");
  expect(outcome).toMatchObject({
    content: [{ text: expect.stringContaining("session.call(request, { sender })") }],
  });
  expect(runs).toHaveLength(0);
});

test("does not block a call as a loop because of another sender's denials", async () => {
  const session = await openSession({ tools: [echo()], policy: bySender });
  const call = (options: object) => session.call({ name: "echo", arguments: { value: "x" } }, options);
  for (let made = 0; made < 20; made++) expect((await call(mallory)).kind).toBe("blocked");
  expect((await call(ada)).kind).toBe("ok");
  expect((await session.explain("echo", { value: "x" }, ada)).verdict).toBe("runs");
});

test("sends a message for a second sender after the same message of the first", async () => {
  const { tool, runs } = createCountingTool();
  const session = await openSession({ tools: [tool] });
  const call = (options: object) => session.call(send(undefined, "hello"), options);
  expect((await call(ada)).kind).toBe("ok");
  expect(getCode(await call({ sender: { id: "ada" } }))).toBe("DUPLICATE_CALL");
  expect((await call({ sender: { id: "bob" } })).kind).toBe("ok");
  expect(runs).toHaveLength(2);
});

test("does not answer a sender from the record of another sender after a resume", async () => {
  const store = testStore();
  const secret = echo("secret", { effects: ["write"], execute: () => answer("the secret") });
  const first = await openRecordedSession(store, { tools: [secret], policy: bySender, record: "full" });
  const request = { id: "a", name: "secret", arguments: { value: "x" } };
  expect((await first.call(request, ada)).kind).toBe("ok");
  await first.close();
  const second = await openRecordedSession(
    store,
    { tools: [secret], policy: bySender, record: "full" },
    true,
  );
  const denied = await second.call(request, mallory);
  expect(denied.kind).toBe("blocked");
  expect(JSON.stringify(denied)).not.toContain("the secret");
  await second.close();
});
