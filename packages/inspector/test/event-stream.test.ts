import { expect, test } from "vitest";
import { EventRing } from "../src/events/event-ring.ts";
import { eventStream } from "../src/events/event-stream.ts";
import type { SourceEvent } from "../src/index.ts";

const INSTANCE = "0123456789ab";

const notice = (message: string): SourceEvent => ({
  type: "notice",
  about: "inspector",
  level: "info",
  message,
});

/** A connection that takes a piece when it is asked to. */
function connection(ring: EventRing, lastId?: string) {
  const ended = new AbortController();
  let over = 0;
  const reader = eventStream(ring, {
    role: "look",
    instance: INSTANCE,
    lastId,
    signal: ended.signal,
    over: () => over++,
  }).getReader();
  return {
    take: async () => {
      const { value, done } = await reader.read();
      return done ? undefined : new TextDecoder().decode(value);
    },
    cancel: () => reader.cancel(),
    end: () => ended.abort(),
    over: () => over,
  };
}

test("a stalled reader uses no memory, learns once about missed events and gets all later events", async () => {
  const ring = new EventRing(INSTANCE);
  const slow = connection(ring);
  expect(await slow.take()).toContain("event: hello");
  for (let index = 0; index < 10_000; index++) ring.add(notice(`n${index}`));
  const missing = await slow.take();
  expect(missing).toContain('{"type":"reset","why":"behind"}');
  expect(missing).toContain(`id: ${INSTANCE}.10000`);
  ring.add(notice("after"));
  expect(await slow.take()).toContain('"message":"after"');
});

test("events within the limit arrive in order, once, in pieces", async () => {
  const ring = new EventRing(INSTANCE);
  const one = connection(ring);
  await one.take();
  for (let index = 0; index < 2_000; index++) ring.add(notice(`n${index} ${"x".repeat(200)}`));
  let text = "";
  while (!text.includes("n1999 ")) text += await one.take();
  const ids = [...text.matchAll(/^id: \w+\.(\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
});

test("the ring also has a limit in characters", () => {
  const ring = new EventRing(INSTANCE);
  for (let index = 0; index < 200; index++) ring.add(notice("x".repeat(100_000)));
  expect(ring.after(0, "look")).toBe("behind");
  expect(ring.after(199, "look")).toMatchObject({ last: 200 });
  expect(ring.after(200, "look")).toBeUndefined();
});

test.each([
  ["of another start", "aaaaaaaaaaaa.1", true],
  ["none", "nonsense", true],
  ["of what has not happened yet", `${INSTANCE}.99`, true],
  ["of the last one", `${INSTANCE}.2`, false],
])("an id %s is answered with a reset: %s", async (_name, id, isReset) => {
  const ring = new EventRing(INSTANCE);
  ring.add(notice("one"));
  ring.add(notice("two"));
  expect((await connection(ring, id).take())?.includes("event: reset")).toBe(isReset);
});

test("a line end in a text does not end an event", async () => {
  const ring = new EventRing(INSTANCE);
  const one = connection(ring);
  await one.take();
  ring.add(notice("a\n\nevent: call\ndata: {}\r\u2028"));
  const text = (await one.take())!;
  expect(text.split("\n")).toHaveLength(5);
  expect(text.match(/^event: /gm)).toEqual(["event: "]);
});

test("the stream ends with the connection or the inspector, and reports this once", async () => {
  const ring = new EventRing(INSTANCE);
  const [one, other] = [connection(ring), connection(ring)];
  await one.take();
  await other.take();
  const waiting = other.take();
  await one.cancel();
  other.end();
  expect(await waiting).toBeUndefined();
  expect([one.over(), other.over()]).toEqual([1, 1]);
});
