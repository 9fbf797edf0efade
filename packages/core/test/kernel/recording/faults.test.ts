import { fc, test as property } from "@fast-check/vitest";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { SessionEvent } from "../../../src/contract/events.ts";
import type { ToolOutcome } from "../../../src/contract/result.ts";
import {
  answer,
  getCode,
  echo,
  makeTool,
  memoryLogger,
  openSession,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  watch,
} from "../../support/kernel.ts";
import { testStore, type TestStore } from "../../support/ledger.ts";

afterEach(() => vi.useRealTimers());

const tools = () => {
  let runs = 0;
  const save = echo("save", { effects: ["write"], execute: () => answer(`saved ${++runs}`) });
  return { tools: [save, echo("look", { effects: ["read"] })], runs: () => runs };
};

const save = (id: string) => ({ id, name: "save", arguments: { value: id } });
const readCall = (id: string) => ({ id, name: "look", arguments: { value: id } });

const ledgerEvents = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "ledger" ? [event.store] : []));

/** What can be wrong with a store, and how its session comes to be. */
const FAULTS: [name: string, break_: (store: TestStore) => void, repair: (store: TestStore) => void][] = [
  ["throws when it is opened", (store) => (store.opening = "throws"), (store) => (store.opening = undefined)],
  [
    "rejects when it is opened",
    (store) => (store.opening = "rejects"),
    (store) => (store.opening = undefined),
  ],
  ["throws at a write", (store) => (store.writing = "throws"), (store) => (store.writing = undefined)],
  ["rejects a write", (store) => (store.writing = "rejects"), (store) => (store.writing = undefined)],
];

for (const [name, break_, repair] of FAULTS) {
  describe(`a store that ${name}`, () => {
    test("refuses calls with changes, and records reads later", async () => {
      const store = testStore();
      break_(store);
      const logger = memoryLogger();
      const { tools: both, runs } = tools();
      const session = await openSession({ tools: both, store, logger });
      const events = watch(session);
      const refused = await session.call(save("w1"));
      expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
      // Asked once, and not for its end as well: a store may take its time to say no.
      expect(getOutcomeText(refused)).not.toContain("could not be written to the ledger");
      expect(getCode(await session.call(readCall("r1")))).toBe("ok");
      expect(getCode(await session.call(save("w2")))).toBe("LEDGER_UNAVAILABLE");
      expect(runs()).toBe(0);
      expect(logger.lines.filter((line) => line === "The ledger's store failed.")).toHaveLength(1);
      repair(store);
      expect(getCode(await session.call(save("w3")))).toBe("ok");
      expect(ledgerEvents(events)).toEqual(["failed", "back"]);
      await session.close();
      const records = (await store.all()).map(
        ({ seq, toolCallId, status }) => `${seq} ${toolCallId} ${status}`,
      );
      expect(records).toEqual(["1 w1 failed", "2 r1 completed", "3 w2 failed", "4 w3 completed"]);
    });

    test("runs calls and records them later with `record-later`", async () => {
      const store = testStore();
      break_(store);
      const { tools: both, runs } = tools();
      const session = await openSession({ tools: both, store, onStoreFault: "record-later" });
      const outcome = await session.call(save("w1"));
      expect(outcome).toMatchObject({ kind: "ok", receipt: "committed" });
      expect(getOutcomeText(outcome)).toMatch(/saved 1.*could not be written to the ledger/s);
      expect(runs()).toBe(1);
      repair(store);
      await session.close();
      expect(await store.all()).toMatchObject([{ toolCallId: "w1", status: "completed" }]);
    });
  });
}

test("returns the outcome with a note if its end cannot be written, and retries", async () => {
  const store = testStore();
  const breaking = makeTool("save", {
    effects: ["write"],
    execute: () => {
      store.writing = "throws";
      return answer("saved");
    },
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const session = await openSession({ tools: [breaking], store });
  const events = watch(session);
  const outcome = await session.call({ id: "a", name: "save" });
  expect(outcome).toMatchObject({ kind: "ok", receipt: "committed" });
  expect(getOutcomeText(outcome)).toContain("disk full");
  expect(events.find(({ type }) => type === "tool-warning")).toMatchObject({ code: "LEDGER_UNAVAILABLE" });
  expect(await store.all()).toMatchObject([{ status: "executing" }]);
  expect(await session.findRecord("a")).toMatchObject({ status: "completed" });
  store.writing = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  await waitUntilSettled();
  expect(ledgerEvents(events)).toContain("back");
  expect(await store.all()).toMatchObject([{ status: "completed", outcome: "ok" }]);
  await session.close();
});

describe("a store that hangs", () => {
  test("delays one call for 10 s, later calls fail at once, and late writes stay in order", async () => {
    const store = Object.assign(testStore(), { isSlow: true });
    const { tools: both, runs } = tools();
    const session = await openSession({ tools: both, store });
    expect(getCode(await session.call(save("w0")))).toBe("ok");
    vi.useFakeTimers();
    store.writing = "hangs";
    const waiting = session.call(save("w1"));
    await vi.advanceTimersByTimeAsync(9_900);
    const reading = session.call(readCall("r1"));
    expect(getCode(await reading)).toBe("ok");
    // It is refused, and its end waits for the write that hangs.
    await vi.advanceTimersByTimeAsync(25_000);
    expect(getCode(await waiting)).toBe("LEDGER_UNAVAILABLE");
    expect(getCode(await session.call(save("w2")))).toBe("LEDGER_UNAVAILABLE");
    expect(runs()).toBe(1);
    vi.useRealTimers();
    store.writing = undefined;
    store.release();
    await session.close();
    const records = (await store.all()).map(({ toolCallId, status }) => `${toolCallId} ${status}`);
    expect(records).toEqual(["w0 completed", "w1 failed", "r1 completed", "w2 failed"]);
  });

  test("delays the close only for a limited time, and the missing records are counted", async () => {
    const store = testStore();
    store.opening = "hangs";
    const logger = memoryLogger();
    const session = await openSession({ tools: [echo()], store, logger });
    await session.call({ name: "echo", arguments: { value: "x" } });
    vi.useFakeTimers();
    const closing = session.close();
    await vi.advanceTimersByTimeAsync(60_000);
    await closing;
    expect(logger.lines).toContain(
      "The end of 1 call is not recorded: the ledger has it as interrupted, or not at all.",
    );
  });
});

test("accepts no calls if too many wait to be recorded", async () => {
  const store = testStore();
  store.writing = "throws";
  const session = await openSession({
    tools: [echo("look", { effects: ["read"] })],
    store,
    loopGuard: false,
  });
  for (let i = 0; i < 10_000; i++) await session.call(readCall(`r${i}`));
  const refused = await session.call(readCall("more"));
  expect(refused).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE" });
  store.writing = undefined;
  await session.close();
  expect(store.batches.at(-1)).toHaveLength(10_000);
});

test("records a call whose plan is not JSON", async () => {
  const store = testStore();
  const logger = memoryLogger();
  const cyclic: Record<string, unknown> = { action: "x" };
  cyclic["self"] = cyclic;
  const tool = makeTool("save", {
    effects: ["write"],
    wantsPlan: () => true,
    plan: () => ({ subjects: cyclic }),
  });
  const session = await openSession({ tools: [tool], store, logger });
  expect(getCode(await session.call({ id: "a", name: "save" }))).toBe("ok");
  expect(await store.all()).toMatchObject([{ toolCallId: "a", status: "completed" }]);
  expect(logger.lines).toContain("A call could not be recorded completely.");
  await session.close();
});

test("writes waiting records to a run that opens after the close, and closes it", async () => {
  // The clock of the queue, too: the opening takes longer than any write is waited for.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const store = testStore();
    store.opening = "hangs";
    const session = await openSession({ tools: tools().tools, store });
    await session.call(readCall("r"));
    const closing = session.close();
    await vi.advanceTimersByTimeAsync(60_000);
    await closing;
    store.opening = undefined;
    store.release();
    while ((await store.runs()).items[0]?.closedAt === undefined) await waitUntilSettled();
    expect(await store.all()).toMatchObject([{ toolCallId: "r", status: "completed" }]);
  } finally {
    vi.useRealTimers();
  }
});

test("refuses calls with changes if the store is closed", async () => {
  const store = testStore();
  const { tools: both, runs } = tools();
  const session = await openSession({ tools: both, store });
  expect(getCode(await session.call(save("w1")))).toBe("ok");
  await store.close();
  expect(getCode(await session.call(save("w2")))).toBe("LEDGER_UNAVAILABLE");
  expect(getCode(await session.call(readCall("r1")))).toBe("ok");
  await session.close();
  expect(runs()).toBe(1);
});

const step = fc.oneof(
  fc.record({ call: fc.constantFrom("save", "look", "refused", "nothing", "fail"), alone: fc.boolean() }),
  fc.record({ writing: fc.constantFrom("throws", "rejects", undefined) }),
  fc.record({ isSlow: fc.boolean() }),
);

property.prop([fc.array(step, { maxLength: 40 }), fc.constantFrom("throws", "rejects", undefined)])(
  "whenever a store fails: nothing that changes things runs unrecorded, and in the end all is recorded once",
  async (steps, opening) => {
    const store = testStore();
    store.opening = opening;
    const unrecorded: string[] = [];
    const act = async (id: string) => {
      const [records] = (await store.all()).filter(({ toolCallId }) => toolCallId === id);
      if (records?.status !== "executing") unrecorded.push(id);
    };
    const save = echo("save", {
      effects: ["write"],
      execute: async (id) => {
        await act(id);
        return answer("saved");
      },
    });
    const fail = echo("fail", {
      effects: ["execute"],
      execute: async (id) => {
        await act(id);
        throw new Error("it broke");
      },
    });
    const session = await openSession({
      tools: [save, fail, echo("look", { effects: ["read"] }), echo("refused", { effects: ["write"] })],
      policy: createTestPolicy({ call: ({ name }) => (name === "refused" ? "deny" : "allow") }),
      loopGuard: false,
      store,
    });
    const outcomes: Promise<ToolOutcome>[] = [];
    for (const [at, one] of steps.entries()) {
      if ("call" in one) {
        const made = session.call({ id: `c${at}`, name: one.call, arguments: { value: `${at}` } });
        outcomes.push(made);
        if (one.alone) await made;
      } else if ("isSlow" in one) store.isSlow = one.isSlow;
      else {
        store.writing = one.writing;
        store.opening = undefined;
      }
    }
    const ended = await Promise.all(outcomes);
    store.writing = store.opening = undefined;
    await session.close();
    expect(unrecorded).toEqual([]);
    const records = await store.all();
    expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: ended.length }, (_, i) => i + 1));
    const noted = ended
      .map((outcome) => [outcome.toolCallId, getCode(outcome), outcome.receipt])
      .toSorted(byId);
    const recorded = records
      .map((call) => [call.toolCallId, call.code ?? "ok", call.receipt!])
      .toSorted(byId);
    expect(recorded).toEqual(noted);
  },
);

function byId([a = ""]: string[], [b = ""]: string[]): number {
  return a < b ? -1 : 1;
}
