import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { Answer } from "../../src/contract/invocation.ts";
import {
  createIdentity,
  createNode,
  type HaftNode,
  type KnownHost,
  memoryRecords,
  type NodeDeclaration,
  serveNode,
} from "../../src/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createBroker } from "../support/memory-bus.ts";
import {
  createTestHost,
  IMPATIENT,
  approveTestNode,
  serveTestNode,
  type TestHost,
} from "../support/test-nodes.ts";

/** A node that is what it says in all but this. */
async function lying(lie: (node: HaftNode) => Partial<HaftNode>): Promise<TestHost & { id: string }> {
  const server = createBroker();
  const identity = createIdentity();
  const hosts = memoryRecords<KnownHost>();
  const honest = createNode({ id: identity.id, name: "kitchen", commands: camera().commands });
  const { id, name, boot, declaration, invoke, recall, abort, close } = honest;
  const plain = { id, name, boot, declaration };
  const node = Object.assign(plain, { invoke, recall, abort, close }, lie(honest)) as HaftNode;
  for (const part of ["invoke", "recall", "abort", "close"] as const)
    if (!Object.hasOwn(lie(honest), part)) Object.assign(node, { [part]: honest[part].bind(honest) });
  await serveNode(node, { bus: server.connect(), identity, hosts });
  const desk = createTestHost(server.connect());
  hosts.write(desk.identity.id, { name: "desk", pairedAt: 1 });
  desk.pairings.write(id, { name: "kitchen", pairedAt: 1 });
  return Object.assign(desk, { id });
}

const answering = (answer: unknown) => () => ({ invoke: async () => answer as Answer });
const text = (length: number) => ({ content: [{ type: "text", text: "x".repeat(length) }], details: {} });

test.each<[string, unknown, string]>([
  ["no value", null, "NODE_ANSWER_INVALID unknown"],
  ["an invalid result", { ok: true, result: "done" }, "NODE_ANSWER_INVALID unknown"],
  ["no content", { ok: true, result: { content: [], details: {} } }, "NODE_ANSWER_INVALID unknown"],
  [
    "a block of an unknown type",
    { ok: true, result: { content: [{ type: "script" }] } },
    "NODE_ANSWER_INVALID unknown",
  ],
  [
    "an image of type text/html",
    { ok: true, result: { content: [{ type: "image", data: "", mimeType: "text/html" }] } },
    "NODE_ANSWER_INVALID unknown",
  ],
  [
    "too many blocks",
    { ok: true, result: { content: Array.from({ length: 300 }, () => text(1).content[0]) } },
    "NODE_ANSWER_INVALID unknown",
  ],
  [
    "a size far above the declared limit",
    { ok: true, result: text(3_000_000) },
    "NODE_ANSWER_INVALID unknown",
  ],
  [
    "a size just above the declared limit",
    { ok: true, result: text(1024 * 1024 + 1_000) },
    "NODE_ANSWER_INVALID unknown",
  ],
  ["an error without a message", { ok: false, error: { code: 7 } }, "NODE_ANSWER_INVALID unknown"],
  [
    "a refusal by policy",
    { ok: false, error: { code: "POLICY_DENIED", message: "no" } },
    "NODE_FAILED unknown",
  ],
  [
    "an error of a call that never ran",
    { ok: false, error: { code: "NODE_BUSY", message: "no", receipt: "none" } },
    "NODE_BUSY none",
  ],
])("handles an answer with %s", async (_, answer, code) => {
  const desk = await lying(answering(answer));
  await desk.nodes.approve(desk.id);
  const target = desk.nodes.resolve({ command: "camera.snap" });
  expect(await catchErrorCode(() => desk.nodes.invoke({ target, params: { room: "hall" } }))).toBe(code);
});

describe("a declaration", () => {
  const one = {
    name: "a.b",
    description: "x",
    parameters: { type: "object" },
    effects: [],
    timeoutMs: 1,
    resultBytes: 1,
  };
  test.each<[string, unknown]>([
    ["if it is missing", null],
    [
      "with too many commands",
      { commands: Array.from({ length: 201 }, (_, at) => ({ ...one, name: `a.b${at}` })) },
    ],
    ["with an unknown effect", { commands: [{ ...one, effects: ["none"] }] }],
    ["with an unlimited time", { commands: [{ ...one, timeoutMs: Number.MAX_VALUE }] }],
    ["with an unlimited result", { commands: [{ ...one, resultBytes: 1e12 }] }],
    [
      "with an invalid schema",
      { commands: [{ ...one, parameters: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } }] },
    ],
    ["with two commands of the same name", { commands: [one, one] }],
    ["with a deceptive name", { commands: [{ ...one, name: "a.b\u202e" }] }],
  ])("is rejected %s", async (_, declaration) => {
    const desk = await lying(() => ({ declaration: declaration as NodeDeclaration }));
    expect(await catchErrorCode(() => desk.nodes.approve(desk.id))).toBe("NODE_DECLARATION_INVALID none");
  });
});

test("stops waiting for a node whose pieces are tiny or missing", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), [
    { ...camera().commands[0]!, resultBytes: 4_000_000, run: () => text(2_000_000) as never },
  ]);
  const desk = createTestHost(server.connect(), { times: IMPATIENT });
  await approveTestNode(desk, kitchen);
  const target = desk.nodes.resolve({ command: "camera.snap" });
  // The first message is whole; what is pulled is lost.
  server.intercept = (message) => {
    const isPull = message.subject.endsWith(".link") && Buffer.from(message.bytes).includes('"op":"pull"');
    return isPull ? [] : [message];
  };
  expect(await catchErrorCode(() => desk.nodes.invoke({ target, params: { room: "hall" } }))).toBe(
    "NODE_OUTCOME_UNKNOWN unknown",
  );
});

test.each(["\u202ekitchen", " kitchen", "", "a\nb", createIdentity().id])(
  "requires another name for a node that states the name %j",
  async (name) => {
    const desk = await lying(() => ({}));
    desk.pairings.write(desk.id, { name, pairedAt: 1 });
    expect(await catchErrorCode(() => desk.nodes.approve(desk.id))).toBe("NODE_OPTIONS_INVALID none");
    expect(await desk.nodes.approve(desk.id, { name: "kitchen" })).toMatchObject({ name: "kitchen" });
  },
);

property.prop(
  [fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), fc.constantFrom("link", "hello", "pair")],
  {
    numRuns: scaleRuns(50, 3),
  },
)("a node survives any message", async (messages, where) => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const subject = `haft.node.${kitchen.node.id}.${where}`;
  const begins = where === "link" ? 1 : 2;
  for (const bytes of messages) {
    for (const each of [bytes, Buffer.concat([Buffer.of(begins), bytes])])
      server.publish({ subject, bytes: each, reply: "haft.inbox.x.y.0" });
  }
  const target = desk.nodes.resolve({ command: "camera.snap" });
  expect(await desk.nodes.invoke({ target, params: { room: "hall" } })).toMatchObject({
    details: { room: "hall" },
  });
  await kitchen.served.close();
});
