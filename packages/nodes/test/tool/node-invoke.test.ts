import { type ApprovalRequest, contentToText } from "@haft/core";
import { Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { expect, onTestFinished, test } from "vitest";
import {
  createLocalTransport,
  createNode,
  createNodes,
  createNodesPlugin,
  type Nodes,
} from "../../src/index.ts";
import { camera } from "../support/camera.ts";

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };

async function house(config: PolicyConfig, approver?: (request: ApprovalRequest) => "allow-once" | "deny") {
  const { commands, snapped, ...lights } = camera();
  const there = ["kitchen", "attic"].map((name, at) => createNode({ id: `n${at + 1}`, name, commands }));
  const nodes: Nodes = createNodes({ transport: createLocalTransport(there) });
  await nodes.approve("n1");
  await nodes.approve("n2", { commands: ["light.hold"] });
  const registry = new Registry({ plugins: [createNodesPlugin(nodes)], builtIn: ["nodes"] });
  const policy = createPolicy(config, { tools: await registry.survey(LOGGER) });
  const factory = new SessionFactory({
    registry,
    policy,
    ...(approver && {
      approver: { ask: async (request: ApprovalRequest) => ({ decision: approver(request) }) },
    }),
  });
  const session: Session = await factory.open({ kind: "main", workspace: createMemoryWorkspace() });
  onTestFinished(() => session.close());
  const call = (args: unknown, name = "node_invoke") => session.call({ name, arguments: args });
  return { session, call, nodes, there, commands, snapped, ...lights };
}

const SNAP = { command: "camera.snap", params: { room: "hall" } };
const GRANT = { grant: ["node_invoke"] };

test("calls a command by both tool names and returns its images", async () => {
  const { call, snapped, session } = await house(GRANT);
  expect(session.tools().find(({ name }) => name === "node_invoke")?.description).toContain(
    "kitchen: camera.snap, light.hold. attic: light.hold.",
  );
  for (const name of ["node_invoke", "node-invoke"]) {
    expect(await call({ ...SNAP, node: "n1", params: { room: name } }, name)).toMatchObject({
      kind: "ok",
      toolName: "node_invoke",
      receipt: "none",
      content: [{ type: "text" }, { type: "image", mimeType: "image/png" }],
      details: { node: "n1", name: "kitchen", command: "camera.snap", result: { room: name } },
    });
  }
  expect(snapped).toEqual(["node_invoke", "node-invoke"]);
});

test("is denied unless a policy grants it, by node and command", async () => {
  expect(await (await house({})).call(SNAP)).toMatchObject({ kind: "blocked" });
  const { call, snapped } = await house({ grant: ["node_invoke(node:kitchen, arg:command=camera.*)"] });
  expect(await call({ ...SNAP, node: "attic", command: "light.hold", params: {} })).toMatchObject({
    kind: "blocked",
  });
  expect(await call({ node: "kitchen", command: "light.hold" })).toMatchObject({ kind: "blocked" });
  // Whatever the call names it by: name, id, or nothing where there is just one.
  for (const node of ["kitchen", "n1", undefined])
    expect(await call({ ...SNAP, node })).toMatchObject({ kind: "ok" });
  expect(snapped).toHaveLength(3);
});

test("explains an impossible call only to callers who may use that node", async () => {
  const { call, nodes } = await house({ grant: ["node_invoke(node:attic)"] });
  for (const [args, code] of [
    [{ node: "attic", command: "camera.snap" }, "NODE_NOT_APPROVED"],
    [{ node: "attic", command: "light.hodl" }, "NODE_NOT_OFFERED"],
    [{ node: "attic", command: "light.hold", params: { for: "ever" } }, "INVALID_ARGUMENTS"],
    [{ node: "kitchen", command: "light.hodl" }, "POLICY_DENIED"],
    [{ node: "cellar", command: "light.hold" }, "POLICY_DENIED"],
  ] as const)
    expect(await call(args)).toMatchObject({ code, receipt: "none" });
  nodes.revoke("n2");
  expect(await call({ node: "attic", command: "light.hold" })).toMatchObject({ code: "NODE_REVOKED" });
});

test("answers invalid parameters with the schema", async () => {
  const { call } = await house(GRANT);
  const outcome = await call({ node: "kitchen", command: "camera.snap" });
  expect(outcome).toMatchObject({ kind: "error", code: "INVALID_ARGUMENTS", receipt: "none" });
  expect(contentToText(outcome.content)).toMatch(
    /camera\.snap takes, as JSON Schema: \{.*"room":\{"type":"string"\}/,
  );
});

test("asks for no approval of an impossible call", async () => {
  const { call } = await house({ ...GRANT, ask: ["node_invoke"] }, () => expect.unreachable());
  expect(await call({ node: "attic", command: "camera.snap" })).toMatchObject({ code: "NODE_NOT_APPROVED" });
  expect(await call({ command: "camera.snap", params: { rom: "hall" } })).toMatchObject({ kind: "error" });
});

test("a denial by name applies to the id and to calls without a node", async () => {
  const { call, snapped } = await house({ ...GRANT, deny: ["node_invoke(node:kitchen)"] });
  for (const node of ["kitchen", "n1", undefined])
    expect(await call({ ...SNAP, node })).toMatchObject({ kind: "blocked", code: "POLICY_DENIED" });
  expect(snapped).toEqual([]);
});

test.each<[string, object, string]>([
  ["an unknown node", { ...SNAP, node: "cellar" }, "NODE_UNKNOWN"],
  ["an unknown command", { command: "camera.snip" }, "NODE_NEEDED"],
  ["a command that the node does not offer", { command: "camera.snip", node: "kitchen" }, "NODE_NOT_OFFERED"],
  ["a command that was not approved", { ...SNAP, node: "attic" }, "NODE_NOT_APPROVED"],
  ["an ambiguous node", { command: "light.hold" }, "NODE_NEEDED"],
  ["invalid parameters", { command: "camera.snap", params: { rom: "hall" } }, "INVALID_ARGUMENTS"],
  ["no command", { params: {} }, "INVALID_ARGUMENTS"],
  ["a timeout of 0 ms", { ...SNAP, timeoutMs: 0 }, "INVALID_ARGUMENTS"],
])("rejects a call with %s", async (_, args, code) => {
  const { call, snapped } = await house(GRANT);
  expect(await call(args)).toMatchObject({ kind: "error", code, receipt: "none" });
  expect(snapped).toEqual([]);
});

test("an approval shows node, command, effects and parameters, and exactly this call runs", async () => {
  const requests: ApprovalRequest[] = [];
  const { call, snapped, there, commands } = await house({ ...GRANT, ask: ["node_invoke"] }, (request) => {
    requests.push(request);
    return "allow-once";
  });
  expect(await call(SNAP)).toMatchObject({ kind: "ok" });
  const shown = JSON.stringify(requests[0]);
  for (const part of ["kitchen (n1)", "camera.snap: Takes a picture.", "may read there", "hall"])
    expect(shown).toContain(part);
  const [snap, hold] = commands;
  there[0] = createNode({
    id: "n1",
    name: "kitchen",
    commands: [{ ...snap!, effects: ["read", "write"] }, hold!],
  });
  expect(await call(SNAP)).toMatchObject({ kind: "error", code: "NODE_CHANGED", receipt: "none" });
  expect(snapped).toEqual(["hall"]);
});

test("rules use the approved effects of a command", async () => {
  const { call, snapped } = await house({ ...GRANT, ask: ["effect:write"] }, () => "deny");
  expect(await call(SNAP)).toMatchObject({ kind: "ok" });
  expect(await call({ command: "light.hold", node: "kitchen" })).toMatchObject({ kind: "blocked" });
  expect(snapped).toEqual(["hall"]);
});

test("explains a call with its node without asking a person", async () => {
  const { session, snapped, there } = await house({ grant: ["node_invoke(node:kitchen)"] });
  there.length = 0;
  const explained = await session.explain("node_invoke", SNAP);
  expect(explained).toMatchObject({
    verdict: "runs",
    plan: { subjects: { node: { id: "n1", name: "kitchen" } } },
  });
  expect(contentToText(explained.plan!.preview)).toContain("kitchen (n1)");
  const other = await session.explain("node_invoke", { command: "light.hold", node: "attic" });
  expect(other).toMatchObject({ verdict: "denied" });
  expect(other.fix).toContain("node_invoke(node:attic)");
  expect(snapped).toEqual([]);
});

test("a call of a revoked node or after a timeout has an unknown outcome", async () => {
  const { call, nodes, held } = await house(GRANT);
  const waiting = call({ command: "light.hold", node: "kitchen" });
  await held;
  nodes.revoke("n1");
  expect(await waiting).toMatchObject({ kind: "error", code: "NODE_REVOKED", receipt: "unknown" });
  expect(await call({ command: "light.hold", node: "kitchen", timeoutMs: 5 })).toMatchObject({
    code: "NODE_REVOKED",
  });
  // Time enough to begin on a busy machine.
  expect(await call({ command: "light.hold", node: "attic", timeoutMs: 1_000 })).toMatchObject({
    code: "NODE_COMMAND_TIMEOUT",
    receipt: "unknown",
  });
});
