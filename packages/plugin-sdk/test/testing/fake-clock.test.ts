import { afterEach, expect, test } from "vitest";
import { definePlugin, defineTool, text, contentToText, Type } from "../../src/index.ts";
import { createFakeClock, createTestSession } from "../../src/testing/index.ts";

const clocks: { restore(): void }[] = [];
const clock = (start = 0) => {
  const made = createFakeClock(start);
  clocks.push(made);
  return made;
};
afterEach(() => clocks.splice(0).forEach((each) => each.restore()));

test("time does not advance until the test advances it", async () => {
  const time = clock(Date.UTC(2024, 1, 29, 23, 59, 59));
  expect(new Date().toISOString()).toBe("2024-02-29T23:59:59.000Z");
  expect(new Date(0).getTime()).toBe(0);
  // Not by a day: what runs the tests may have a timer of its own that comes again and again.
  await time.advance(1_000);
  expect([Date.now(), new Date().getDate()]).toEqual([time.now(), 1]);
});

test("timers run in order at their times, with timers of their callbacks before the next", async () => {
  const time = clock();
  const seen: string[] = [];
  const note = (what: string) => void seen.push(`${what}@${Date.now()}`);
  setTimeout(() => note("late"), 300);
  const every = setInterval(() => note("tick"), 100);
  setTimeout(
    (name: string) => {
      note(name);
      void Promise.resolve().then(() => setTimeout(() => note("inner"), 10));
    },
    150,
    "first",
  );
  const never = setTimeout(() => note("never"), 50);
  clearTimeout(never);
  await time.advance(250);
  expect(seen).toEqual(["tick@100", "first@150", "inner@160", "tick@200"]);
  clearInterval(every);
  await time.advance(50);
  expect(seen.at(-1)).toBe("late@300");
  expect(time.waiting).toBe(0);
});

test("a tool that waits for hours answers at once, and deadlines use the clock", async () => {
  let begins = Promise.withResolvers<void>();
  const wait = defineTool({
    name: "wait",
    description: "Waits for an hour.",
    parameters: Type.Object({}),
    effects: [],
    deadlineMs: 3 * 3_600_000,
    async execute(_id, _args, signal) {
      await new Promise<void>((resolve, reject) => {
        setTimeout(resolve, 3_600_000);
        signal.addEventListener("abort", () => reject(new Error("too late")));
        begins.resolve();
      });
      return { content: [text(new Date().toISOString())], details: {} };
    },
  });
  const plugin = definePlugin({ id: "wait", tools: [wait, { ...wait, name: "hurry", deadlineMs: 1_000 }] });
  const session = await createTestSession(plugin);
  const time = clock();
  const waiting = session.call("wait");
  await begins.promise;
  await time.advance(3_600_000);
  expect(contentToText((await waiting).content)).toBe("1970-01-01T01:00:00.000Z");
  begins = Promise.withResolvers<void>();
  const hurrying = session.call("hurry");
  await begins.promise;
  await time.advance(3_000);
  expect(await hurrying).toMatchObject({ kind: "error", code: "DEADLINE_EXCEEDED" });
  time.restore();
  await session.close();
});

test("there is one at a time, and it is put back", () => {
  const [date, timer] = [Date, setTimeout];
  const time = clock();
  expect(() => createFakeClock()).toThrow(/There is a fake clock already/);
  time.restore();
  time.restore();
  expect([Date, setTimeout]).toEqual([date, timer]);
  clock().restore();
});
