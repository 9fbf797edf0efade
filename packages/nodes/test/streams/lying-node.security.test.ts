import { expect, onTestFinished, test } from "vitest";
import type { FrameHead } from "../../src/link/frame.ts";
import { HostStream } from "../../src/link/streams/host-stream.ts";
import { openHostStream } from "../../src/link/streams/open-host-stream.ts";
import type { StreamLink, StreamReceiver } from "../../src/link/streams/stream-link.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";

const TIMES = { pollMs: 50, stopMs: 100, checkMs: 10_000 };
const NOTHING = Buffer.alloc(0);

/** A node of which a test says what it says. */
function node(answer: unknown = {}) {
  const sent: Omit<FrameHead, "seq">[] = [];
  let taker: StreamReceiver | undefined;
  const way: StreamLink = {
    maxBytes: 64 * 1024,
    ask: async () => ({
      head: { op: "answer", id: "", seq: 1, left: 0 },
      body: Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer)),
    }),
    send: (head) => void sent.push(head),
    attach: (_id, given) => {
      taker = given;
      return () => undefined;
    },
  };
  const answers = (head: Partial<FrameHead>, body: Buffer = NOTHING) =>
    taker!.take({ head: { op: "answer", id: "", seq: 2, left: 0, ...head }, body });
  return { way, heard: sent, says: answers };
}

function opened(of: ReturnType<typeof node>) {
  const options = { reconnect: async () => of.way, times: TIMES };
  const one = new HostStream(of.way, "id", { mounts: [] }, options);
  one.stream.on("error", () => undefined);
  onTestFinished(() => one.close().catch(() => undefined));
  return one;
}

test.each<[string, Partial<FrameHead>, Buffer]>([
  ["sends more than was granted", { from: 0, have: 0, until: 0 }, Buffer.alloc(3 * 1024 * 1024)],
  ["sends bytes far ahead", { from: 2 ** 50, have: 0, until: 0 }, Buffer.alloc(1)],
  ["acknowledges bytes that were never sent", { from: 0, have: 7, until: 0 }, NOTHING],
  ["has no offsets", {}, Buffer.from("text")],
  ["has offsets that are text", { from: "0", have: "0", until: "0" } as object, NOTHING],
])("ends the stream of a node that %s", async (_, head, body) => {
  const kitchen = node();
  const one = opened(kitchen);
  kitchen.says(head, body);
  expect((await one.ended).why).toMatch(/^the node's messages contradict each other: /);
  expect(one.stream.destroyed).toBe(true);
  expect(kitchen.heard.at(-1)).toMatchObject({ close: true });
});

test.each<[string, Buffer, object]>([
  ["missing", NOTHING, { why: "the node ended it" }],
  ["not a text", Buffer.from('{"why":7,"oom":"yes","exitCode":1.5}'), { why: "the node ended it" }],
  ["very long", Buffer.from(JSON.stringify({ why: "x".repeat(9_000) })), { why: "x".repeat(500) }],
  ["complete", Buffer.from('{"why":"so","oom":true,"exitCode":9}'), { why: "so", oom: true, exitCode: 9 }],
])("handles an end whose reason is %s", async (_, body, end) => {
  const kitchen = node();
  const one = opened(kitchen);
  kitchen.says({ gone: true }, body);
  expect(await one.ended).toEqual(end);
});

const mount = { name: "", path: "/workspace", access: "rw" };
test.each<[string, unknown, string]>([
  ["invalid JSON", "{", "NODE_ANSWER_INVALID none"],
  ["an empty object", {}, "NODE_ANSWER_INVALID none"],
  ["no folder", { ok: true, opened: { mounts: [] } }, "NODE_ANSWER_INVALID none"],
  ["two folders", { ok: true, opened: { mounts: [mount, mount] } }, "NODE_ANSWER_INVALID none"],
  [
    "a read-only folder",
    { ok: true, opened: { mounts: [{ ...mount, access: "ro" }] } },
    "NODE_ANSWER_INVALID none",
  ],
  [
    "an invalid folder",
    { ok: true, opened: { mounts: [{ ...mount, path: "x\n" }] } },
    "NODE_ANSWER_INVALID none",
  ],
  [
    "invalid variable names",
    { ok: true, opened: { mounts: [mount], inherit: ["A=B"] } },
    "NODE_ANSWER_INVALID none",
  ],
  ["an error code of the host", { ok: false, error: { code: "POLICY_DENIED" } }, "NODE_FAILED none"],
  [
    "an error that claims effects",
    { ok: false, error: { code: "NODE_BUSY", receipt: "committed" } },
    "NODE_BUSY none",
  ],
])("handles an opening answered with %s", async (_, answer, code) => {
  const { way } = node(answer);
  const opening = { workspace: "project", declared: "", access: "rw", network: "none", limits: {} } as const;
  const options = { opening, limitMs: 1_000, signal: new AbortController().signal, times: TIMES };
  expect(await catchErrorCode(() => openHostStream(way, { ...options, reconnect: async () => way }))).toBe(
    code,
  );
});
