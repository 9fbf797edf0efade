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

const said = (answer: unknown) => () => ({ invoke: async () => answer as Answer });
const text = (length: number) => ({ content: [{ type: "text", text: "x".repeat(length) }], details: {} });

test.each<[string, unknown, string]>([
  ["nothing", null, "NODE_ANSWER_INVALID unknown"],
  ["a result that is none", { ok: true, result: "done" }, "NODE_ANSWER_INVALID unknown"],
  ["no content", { ok: true, result: { content: [], details: {} } }, "NODE_ANSWER_INVALID unknown"],
  [
    "a block of another kind",
    { ok: true, result: { content: [{ type: "script" }] } },
    "NODE_ANSWER_INVALID unknown",
  ],
  [
    "an image that is a page",
    { ok: true, result: { content: [{ type: "image", data: "", mimeType: "text/html" }] } },
    "NODE_ANSWER_INVALID unknown",
  ],
  [
    "more blocks than anybody reads",
    { ok: true, result: { content: Array.from({ length: 300 }, () => text(1).content[0]) } },
    "NODE_ANSWER_INVALID unknown",
  ],
  ["more than is declared, in many", { ok: true, result: text(3_000_000) }, "NODE_ANSWER_INVALID unknown"],
  [
    "a little more than is declared",
    { ok: true, result: text(1024 * 1024 + 1_000) },
    "NODE_ANSWER_INVALID unknown",
  ],
  ["an error without words", { ok: false, error: { code: 7 } }, "NODE_ANSWER_INVALID unknown"],
  [
    "a refusal by policy",
    { ok: false, error: { code: "POLICY_DENIED", message: "no" } },
    "NODE_FAILED unknown",
  ],
  [
    "that it never ran",
    { ok: false, error: { code: "NODE_BUSY", message: "no", receipt: "none" } },
    "NODE_BUSY none",
  ],
])("an answer that is %s", async (_, answer, code) => {
  const desk = await lying(said(answer));
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
    ["that is none", null],
    [
      "with too many commands",
      { commands: Array.from({ length: 201 }, (_, at) => ({ ...one, name: `a.b${at}` })) },
    ],
    ["with an effect that there is not", { commands: [{ ...one, effects: ["none"] }] }],
    ["with a time without end", { commands: [{ ...one, timeoutMs: Number.MAX_VALUE }] }],
    ["with a result without end", { commands: [{ ...one, resultBytes: 1e12 }] }],
    [
      "with a schema that is none",
      { commands: [{ ...one, parameters: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } }] },
    ],
    ["with two commands of one name", { commands: [one, one] }],
    ["whose name leads astray", { commands: [{ ...one, name: "a.b\u202e" }] }],
  ])("%s is not taken", async (_, declaration) => {
    const desk = await lying(() => ({ declaration: declaration as NodeDeclaration }));
    expect(await catchErrorCode(() => desk.nodes.approve(desk.id))).toBe("NODE_DECLARATION_INVALID none");
  });
});

test("a node whose pieces are tiny, or never come, is not waited for without end", async () => {
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
  "a node that calls itself %j needs another name",
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
)("whatever is sent to a node, it goes on", async (messages, where) => {
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
