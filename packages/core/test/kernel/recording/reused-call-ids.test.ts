import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { AnyTool } from "../../../src/contract/tool.ts";
import { createMemoryStore } from "../../../src/kernel/recording/memory-store.ts";
import {
  answer,
  getCode,
  echo,
  makeTool,
  openSession,
  getOutcomeText,
  waitUntilSettled,
  type TestSession,
  watch,
} from "../../support/kernel.ts";
import { createCountingTool, openRecordedSession, send, testStore } from "../../support/ledger.ts";

describe("an id from before a resume", () => {
  async function resumed(setup: TestSession, calls: { id?: string; name: string; arguments?: unknown }[]) {
    const store = testStore();
    const before = await openRecordedSession(store, setup);
    for (const call of calls) await before.call(call);
    await before.close();
    return { store, session: await openRecordedSession(store, setup, true) };
  }

  test("is a redelivery with the same arguments, once, and is Its recorded result is returned", async () => {
    const { tool, runs } = createCountingTool("save", { effects: ["write"] });
    const { session } = await resumed({ tools: [tool] }, [send("a", "x", "save")]);
    const events = watch(session);
    const outcome = await session.call({ id: "a", name: "save", arguments: '{ "value": "x" }' });
    expect(outcome).toMatchObject({
      kind: "ok",
      toolCallId: "a",
      toolName: "save",
      receipt: "committed",
      replayed: true,
    });
    expect(getOutcomeText(outcome)).toMatch(/^sent x\n\n\[Note: .*Its recorded result is returned/);
    expect(events).toMatchObject([{ type: "tool-end", toolCallId: "a" }]);
    expect(runs).toEqual(["a"]);
    expect(session.ledger()).toHaveLength(1);
    // Once more, it is another use of the id.
    expect((await session.call(send("a", "x", "save"))).replayed).toBeUndefined();
    expect(runs).toEqual(["a", "a#2"]);
    expect(getCode(await session.call(send("a", "x", "save")))).toBe("DUPLICATE_CALL_ID");
    await session.close();
  });

  test("is another call with other arguments, answered under the received id", async () => {
    const { tool, runs } = createCountingTool();
    const { session, store } = await resumed({ tools: [tool] }, [send("a", "x")]);
    const events = watch(session);
    expect(await session.call(send("a", "y"))).toMatchObject({ kind: "ok", toolCallId: "a" });
    expect(events.map((event) => "toolCallId" in event && event.toolCallId)).toEqual(["a", "a"]);
    expect(runs).toEqual(["a", "a#2"]);
    expect(session.ledger()[1]).toMatchObject({ toolCallId: "a#2", answeredAs: "a" });
    await session.close();
    const third = await openRecordedSession(store, { tools: [tool] }, true);
    expect(await third.call(send("a", "y"))).toMatchObject({ toolCallId: "a", replayed: true });
    expect(await third.call(send("a", "x"))).toMatchObject({ toolCallId: "a", replayed: true });
    await third.call(send("a", "z"));
    expect(runs.at(-1)).toBe("a#3");
    await third.close();
  });

  test("is no redelivery for another tool or a poll", async () => {
    const { tool, runs } = createCountingTool("send", { effects: [] });
    const poll = createCountingTool("poll", { effects: ["read"], progress: { isPoll: true } });
    const setup = { tools: [tool, poll.tool, echo("other")] };
    const { session } = await resumed(setup, [send("a", "x"), send("p", "x", "poll")]);
    expect((await session.call(send("a", "x", "other"))).replayed).toBeUndefined();
    expect((await session.call(send("p", "x", "poll"))).replayed).toBeUndefined();
    expect(poll.runs).toEqual(["p", "p#2"]);
    expect(runs).toEqual(["a"]);
    await session.close();
  });

  test("is refused again if it was refused", async () => {
    const { session } = await resumed({ tools: [echo()] }, [{ id: "a", name: "echo", arguments: {} }]);
    const outcome = await session.call({ id: "a", name: "echo", arguments: {} });
    expect(outcome).toMatchObject({
      kind: "error",
      code: "INVALID_ARGUMENTS",
      category: "input",
      replayed: true,
    });
    await session.close();
  });

  test("is not run again if its record cannot be read", async () => {
    const { tool, runs } = createCountingTool("save", { effects: ["write"] });
    const { session, store } = await resumed({ tools: [tool] }, [send("a", "x", "save")]);
    store.opened.at(-1)!.read = () => Promise.reject(new Error("gone"));
    const outcome = await session.call(send("a", "x", "save"));
    expect(outcome).toMatchObject({ kind: "ok", receipt: "committed", replayed: true });
    expect(getOutcomeText(outcome)).toContain("gone");
    expect(runs).toEqual(["a"]);
    await session.close();
  });

  test("aborts the call that runs under it now", async () => {
    const wait = makeTool("wait", {
      effects: ["write"],
      execute: (_id, _params, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
    });
    const { session } = await resumed({ tools: [wait, echo()] }, [send("a", "x", "echo")]);
    const running = session.call({ id: "a", name: "wait" });
    await waitUntilSettled();
    expect(session.abort("a")).toBe(true);
    expect(await running).toMatchObject({ kind: "cancelled", toolCallId: "a" });
    await session.close();
  });
});

test("continues generated ids, also of calls of tools", async () => {
  const store = testStore();
  const outer = makeTool("outer", {
    effects: ["read"],
    execute: async (_id, _params, _signal, _update, context) => {
      await context.call("echo", { value: "x" });
      return answer("done");
    },
  });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    const session = await openRecordedSession(store, { tools: [echo(), outer] }, true);
    ids.push((await session.call({ name: "outer" })).toolCallId);
    ids.push((await session.call({ id: "own", name: "outer" })).toolCallId);
    await session.close();
  }
  expect(ids).toEqual(["call_1", "own", "call_2", "own", "call_3", "own"]);
  const records = (await store.all()).map(({ toolCallId }) => toolCallId);
  expect(records).toHaveLength(new Set(records).size);
  expect(records).toContain("call_3.1");
});

const use = fc.record({
  id: fc.constantFrom("a", "b", "a#2", "call_1", ""),
  value: fc.constantFrom("x", "y"),
});

/** An id that looks like a second use of another took the place of that. */
const alike = [
  [{ id: "a", value: "x" }],
  [
    { id: "a#2", value: "x" },
    { id: "a", value: "y" },
  ],
];

property.prop([fc.array(fc.array(use, { maxLength: 6 }), { maxLength: 5 })], {
  examples: [[alike as { id: "a"; value: "x" }[][]]],
})(
  "whatever ids come, in whatever openings: each call of a run is its own, and every answer has the id it came with",
  async (openings) => {
    const store = testStore();
    const { tool, runs } = createCountingTool("save", { effects: ["write"] });
    let answered = 0;
    for (const calls of openings) {
      const session = await openRecordedSession(store, { tools: [tool], loopGuard: false }, true);
      const usedHere = new Set<string>();
      for (const { id, value } of calls) {
        const before = runs.length;
        const outcome = await session.call(send(id === "" ? undefined : id, value, "save"));
        if (id !== "") expect(outcome.toolCallId).toBe(id);
        const code = getCode(outcome);
        expect(runs.length - before).toBe(code === "ok" && outcome.replayed !== true ? 1 : 0);
        if (code === "DUPLICATE_CALL_ID") expect(usedHere).toContain(id);
        else if (outcome.replayed !== true) {
          answered++;
          usedHere.add(outcome.toolCallId).add(runs.at(-1)!);
        }
      }
      await session.close();
    }
    expect(new Set(runs).size).toBe(runs.length);
    const records = await store.all();
    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: answered }, (_, i) => i + 1));
    expect(new Set(records.map(({ toolCallId }) => toolCallId))).toEqual(new Set(runs));
  },
);

/** A tool that notes by which name it knows its session. */
function noting(name: string, seen: (string | undefined)[], effects: AnyTool["effects"]): AnyTool {
  return echo(name, {
    effects,
    execute: (_id, _args, _signal, _onUpdate, context) => {
      seen.push(context.runId);
      return answer("done");
    },
  });
}

test("uses one name for a session from its first to its last call, and for its run", async () => {
  const store = testStore();
  const seen: (string | undefined)[] = [];
  const session = await openSession({
    tools: [noting("look", seen, ["read"]), noting("save", seen, ["write"])],
    store,
  });
  const call = (name: string, value: string) => session.call({ name, arguments: { value } });
  await call("look", "1");
  expect(session.run).toBeUndefined();
  await call("look", "2");
  await call("save", "3");
  expect(session.run).toBeDefined();
  await call("look", "4");
  expect(new Set(seen)).toEqual(new Set([session.run?.runId]));
  expect(session.opening).toBe(session.run?.runId);
  await session.close();
});

test("keeps the name if the store fails at first or chooses another id", async () => {
  const inner = createMemoryStore();
  // As a store that was written before openings named an id.
  const open: typeof inner.open = ({ runId: _unread, ...opening }) => inner.open(opening);
  const store = testStore({ ...inner, open });
  const seen: (string | undefined)[] = [];
  const session = await openSession({
    tools: [noting("look", seen, ["read"]), noting("save", seen, ["write"])],
    store,
    onStoreFault: "record-later",
  });
  store.opening = "rejects";
  await session.call({ name: "save", arguments: { value: "1" } });
  store.opening = undefined;
  await session.flush();
  await session.call({ name: "save", arguments: { value: "2" } });
  await session.call({ name: "look", arguments: { value: "3" } });
  expect(seen).toHaveLength(3);
  expect(new Set(seen)).toEqual(new Set([session.opening]));
  await session.close();
});

test("uses the id of a resumed run before the first call", async () => {
  const store = testStore();
  const seen: (string | undefined)[] = [];
  const tools = [noting("send", seen, ["write"])];
  const first = await openRecordedSession(store, { tools });
  await first.call(send("a", "x"));
  await first.close();
  const second = await openRecordedSession(store, { tools }, true);
  expect(second.opening).toBe(first.opening);
  await second.call(send("b", "y"));
  expect(new Set(seen)).toEqual(new Set([first.opening]));
  await second.close();
});
