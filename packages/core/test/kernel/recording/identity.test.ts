import { expect, test } from "vitest";
import type { AnyTool } from "../../../src/contract/tool.ts";
import { createMemoryStore } from "../../../src/kernel/recording/memory-store.ts";
import { answer, echo, openSession } from "../../support/kernel.ts";
import { openRecorded, send, testStore } from "../../support/ledger.ts";

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

test("a session has one name from its first call to its last, and its run has the same", async () => {
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

test("the name stays when the store fails at first, and when the store chooses another id", async () => {
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

test("a run that is continued has its id as the name of the session, before its first call", async () => {
  const store = testStore();
  const seen: (string | undefined)[] = [];
  const tools = [noting("send", seen, ["write"])];
  const first = await openRecorded(store, { tools });
  await first.call(send("a", "x"));
  await first.close();
  const second = await openRecorded(store, { tools }, true);
  expect(second.opening).toBe(first.opening);
  await second.call(send("b", "y"));
  expect(new Set(seen)).toEqual(new Set([first.opening]));
  await second.close();
});
