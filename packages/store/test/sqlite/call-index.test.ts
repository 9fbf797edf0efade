import { fc, test as property } from "@fast-check/vitest";
import type { CallQuery, LedgerRun, LedgerStore } from "@haft/core/internal";
import { createMemoryStore } from "@haft/core/kernel";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import {
  sampleCall,
  sampleExecutingCall,
  listCallIds,
  sampleOpening,
  REFUSED_CALL,
} from "../../src/testing/ledger/samples.ts";
import { openTestStore, temporaryDatabase } from "../support/temporary-store.ts";
import { crashImage, updateHolders } from "./support/crash-image.ts";

const TOOLS = ["read", "write", "exec"];
const SESSIONS = ["s", "t"];

/** A store, the runs that are held, and how many calls there are. */
interface Used {
  readonly ledger: LedgerStore;
  readonly held: Map<string, { run: LedgerRun; calls: number; executing: boolean }>;
  calls: number;
}
type Step = (used: Used) => Promise<void>;

const session = fc.constantFrom(...SESSIONS);
const writes = fc
  .record({ session, tool: fc.constantFrom(...TOOLS), at: fc.nat(9), kind: fc.nat(2) })
  .map(({ session: sessionKey, tool: toolName, at, kind }): Step => {
    return async (used) => {
      let held = used.held.get(sessionKey);
      if (held === undefined) {
        held = { run: await used.ledger.open(sampleOpening({ sessionKey })), calls: 0, executing: false };
        used.held.set(sessionKey, held);
      }
      const seq = ++held.calls;
      // Of one time are calls of one run alone: which of two runs is the later one, stores need not agree about.
      const createdAt = at * SESSIONS.length + SESSIONS.indexOf(sessionKey);
      const parts = { toolName, createdAt, toolCallId: `call_${++used.calls}` };
      held.executing ||= kind === 0;
      const call = sampleCall(seq, { ...(kind === 1 && REFUSED_CALL), ...parts });
      await held.run.write([kind === 0 ? sampleExecutingCall(seq, parts) : call]);
    };
  });
/** Whoever asks by path notes all there is. */
const notes = fc.constant<Step>(async ({ ledger }) => void (await ledger.calls({ path: "/" })));
/** One that executes would fail then. */
const closes = session.map((sessionKey): Step => async ({ held }) => {
  const one = held.get(sessionKey);
  if (one === undefined || one.executing) return;
  held.delete(sessionKey);
  await one.run.close();
});
const steps = fc.array(
  fc.oneof(
    { arbitrary: writes, weight: 8 },
    { arbitrary: notes, weight: 1 },
    { arbitrary: closes, weight: 1 },
  ),
  { maxLength: 40 },
);
const queries = fc.array(
  fc.record<CallQuery>(
    {
      sessionKey: session,
      toolName: fc.constantFrom(...TOOLS),
      status: fc.constantFrom("executing", "completed", "failed"),
      since: fc.nat(20),
      until: fc.nat(20),
      order: fc.constantFrom("oldest", "newest"),
      limit: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: [] },
  ),
  { minLength: 5, maxLength: 5 },
);

property.prop([steps, queries], { numRuns: scaleRuns(60, 3) })(
  "finds the same calls in the same order for any state of the index",
  async (todo, queried) => {
    const [sqlite, memory] = [openTestStore(temporaryDatabase()).ledger, createMemoryStore()].map(
      (ledger): Used => ({ ledger, held: new Map(), calls: 0 }),
    ) as [Used, Used];
    for (const step of todo) {
      await step(sqlite);
      await step(memory);
    }
    for (const query of [{ limit: 3 }, ...queried])
      expect(await listCallIds(sqlite.ledger, query)).toEqual(await listCallIds(memory.ledger, query));
  },
);

test("finds a call under its changed tool, indexed or not", async () => {
  const { ledger } = openTestStore(temporaryDatabase());
  const run = await ledger.open(sampleOpening());
  const tool = {
    id: "a/x",
    name: "x",
    pluginId: "a",
    optional: false,
    effects: [],
    groups: [],
    builtIn: false,
  };
  for (const [seq, note] of [false, true].entries()) {
    await run.write([sampleExecutingCall(seq + 1, { toolName: "x", tool })]);
    if (note) await ledger.calls({ path: "/" });
    const ended = sampleCall(seq + 1, { toolName: "y", tool: { ...tool, pluginId: "b" } });
    await run.write([ended]);
    expect(await run.read(ended.toolCallId)).toEqual(ended);
  }
  expect(await listCallIds(ledger, { toolName: "x" })).toEqual([]);
  expect(await listCallIds(ledger, { toolName: "y" })).toEqual(["call_2", "call_1"]);
});

test("the next process indexes calls that a killed process did not index", async () => {
  const path = temporaryDatabase();
  const run = await openTestStore(path).ledger.open(sampleOpening());
  await run.write([sampleCall(1), sampleCall(2)]);
  await run.write([sampleExecutingCall(3)]);
  const image = crashImage(path);
  updateHolders(image, { dead: true });
  const { ledger, check } = openTestStore(image);
  expect(await listCallIds(ledger, { until: 2000 })).toEqual(["call_3", "call_2", "call_1"]);
  expect(await listCallIds(ledger, { toolName: "write", limit: 1 })).toEqual(["call_3", "call_2", "call_1"]);
  expect(await ledger.forget({ before: Number.MAX_SAFE_INTEGER })).toBe(4);
  const db = new DatabaseSync(image, { readOnly: true });
  expect(db.prepare("SELECT count(*) AS left FROM timed").get()).toEqual(
    expect.objectContaining({ left: 0 }),
  );
  db.close();
  expect(await check()).toEqual([]);
});
