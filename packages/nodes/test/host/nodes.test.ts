import { expect, test } from "vitest";
import {
  type AnyNodeCommand,
  createLocalTransport,
  createNode,
  createNodes,
  type HaftNode,
  memoryRecords,
  type NodePairing,
  type NodesOptions,
  type Nodes,
} from "../../src/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";

function open(nodes: HaftNode[], options: Partial<NodesOptions> = {}): Nodes {
  return createNodes({ transport: createLocalTransport(nodes), ...options });
}

function snap(nodes: Nodes, room = "hall", node?: string) {
  return nodes.invoke({ target: nodes.resolve({ node, command: "camera.snap" }), params: { room } });
}

test("calls only approved commands of a node", async () => {
  const { commands, snapped } = camera();
  const nodes = open([createNode({ id: "n1", name: "kitchen", commands })]);
  expect(await nodes.list()).toMatchObject([
    {
      id: "n1",
      name: "kitchen",
      state: "new",
      present: true,
      approved: [],
      declared: { commands: [{}, {}] },
    },
  ]);
  expect(await catchErrorCode(() => snap(nodes))).toBe("NODE_NEEDED none");
  expect(await catchErrorCode(() => snap(nodes, "hall", "n1"))).toBe("NODE_UNKNOWN none");
  await nodes.approve("n1", { commands: ["camera.snap"] });
  expect(await snap(nodes)).toMatchObject({
    content: [{ text: "picture of hall" }, { type: "image", mimeType: "image/png" }],
    details: { room: "hall" },
    receipt: "none",
  });
  expect(await catchErrorCode(() => nodes.resolve({ node: "kitchen", command: "light.hold" }))).toBe(
    "NODE_NOT_APPROVED none",
  );
  expect(await catchErrorCode(() => nodes.resolve({ node: "kitchen", command: "camera.snip" }))).toBe(
    "NODE_NOT_OFFERED none",
  );
  expect(snapped).toEqual(["hall"]);
});

test("approves exactly the reviewed declaration", async () => {
  const there = [createNode({ id: "n1", commands: camera().commands })];
  const nodes = open(there);
  const [seen] = await nodes.list();
  there[0] = createNode({ id: "n1", commands: camera().commands.slice(1) });
  expect(await catchErrorCode(() => nodes.approve("n1", { digest: seen!.digest! }))).toBe(
    "NODE_CHANGED none",
  );
  expect(await catchErrorCode(() => nodes.approve("n1", { commands: ["camera.snap"] }))).toBe(
    "NODE_NOT_OFFERED none",
  );
});

test("holds back a node whose declaration changed until it is reviewed, even if it changes back", async () => {
  const { commands, snapped } = camera();
  const more: AnyNodeCommand[] = commands.map((command) =>
    command.name === "camera.snap" ? { ...command, effects: ["read", "network"] } : command,
  );
  const there = [createNode({ id: "n1", name: "kitchen", commands })];
  const nodes = open(there);
  await nodes.approve("n1");
  const target = nodes.resolve({ command: "camera.snap" });
  there[0] = createNode({ id: "n1", name: "kitchen", commands: more.slice(0, 1) });
  expect(await catchErrorCode(() => nodes.invoke({ target, params: { room: "hall" } }))).toBe(
    "NODE_CHANGED none",
  );
  there[0] = createNode({ id: "n1", name: "kitchen", commands });
  expect(await catchErrorCode(() => snap(nodes))).toBe("NODE_CHANGED none");
  there[0] = createNode({ id: "n1", name: "kitchen", commands: more.slice(0, 1) });
  expect(await nodes.list()).toMatchObject([
    {
      state: "changed",
      changes: [
        { command: "camera.snap", change: "changed", parts: ["effects"] },
        { command: "light.hold", change: "removed" },
      ],
    },
  ]);
  expect(snapped).toEqual([]);
  await nodes.approve("n1");
  await snap(nodes);
  expect(snapped).toEqual(["hall"]);
});

test("denials override approvals", async () => {
  const { commands } = camera();
  const there = [
    createNode({ id: "n1", name: "kitchen", commands }),
    createNode({ id: "n2", name: "attic", commands }),
  ];
  const nodes = open(there, { policy: { deny: ["kitchen:camera.*"] } });
  await nodes.approve("n1");
  await nodes.approve("n2");
  expect(await catchErrorCode(() => snap(nodes, "hall", "kitchen"))).toBe("NODE_DENIED none");
  expect(await catchErrorCode(() => snap(nodes, "hall", "n1"))).toBe("NODE_DENIED none");
  // The only one that is left for it.
  expect(nodes.resolve({ command: "camera.snap" }).id).toBe("n2");
  expect(await catchErrorCode(() => nodes.resolve({ command: "light.hold" }))).toBe("NODE_NEEDED none");
  expect(await catchErrorCode(() => open(there, { policy: { deny: ["camera snap"] } }))).toBe(
    "NODE_OPTIONS_INVALID none",
  );
});

test("two nodes with the same name are selected by id only", async () => {
  const { commands } = camera();
  const there = [
    createNode({ id: "n1", name: "kitchen", commands }),
    createNode({ id: "n2", name: "kitchen", commands }),
  ];
  const pairings = memoryRecords<NodePairing>();
  const nodes = open(there, { pairings });
  await nodes.approve("n1");
  await expect(nodes.approve("n2")).rejects.toThrow(/n1, n2/);
  await nodes.approve("n2", { name: "other" });
  expect(nodes.resolve({ node: "kitchen", command: "camera.snap" }).id).toBe("n1");
  // Somebody wrote it into the records.
  pairings.write("n2", { ...pairings.read("n2")!, name: "kitchen" });
  expect(() => nodes.resolve({ node: "kitchen", command: "camera.snap" })).toThrow(/2 nodes .*n1, n2/);
  expect(nodes.resolve({ node: "n2", command: "camera.snap" }).id).toBe("n2");
});

test("with a single node, the error of an unknown command names that node", async () => {
  const nodes = open([createNode({ id: "n1", name: "kitchen", commands: camera().commands })], {
    policy: { deny: ["light.*"] },
  });
  await nodes.approve("n1", { commands: ["camera.snap", "light.hold"] });
  expect(() => nodes.resolve({ command: "camera.snip" })).toThrow(
    'The node "kitchen" does not offer "camera.snip". Did you mean camera.snap?',
  );
  expect(await catchErrorCode(() => nodes.resolve({ command: "light.hold" }))).toBe("NODE_DENIED none");
  await expect(nodes.approve("n1", { commands: [""] })).rejects.toThrow('The node does not offer "".');
});

test("revoking a node ends its running call at once", async () => {
  const { commands, held, release } = camera();
  const stubborn = commands.map((command) =>
    command.name === "light.hold"
      ? {
          ...command,
          run: (...given: Parameters<typeof command.run>) =>
            command.run(given[0], { ...given[1], signal: new AbortController().signal }),
        }
      : command,
  );
  const nodes = open([createNode({ id: "n1", commands: stubborn })]);
  await nodes.approve("n1");
  const target = nodes.resolve({ command: "light.hold" });
  const call = catchErrorCode(() => nodes.invoke({ target, params: {} }));
  await held;
  nodes.revoke("n1");
  expect(await call).toBe("NODE_REVOKED unknown");
  expect(await catchErrorCode(() => nodes.invoke({ target, params: {} }))).toBe("NODE_REVOKED none");
  expect(await catchErrorCode(() => nodes.approve("n1"))).toBe("NODE_REVOKED none");
  expect(await nodes.list()).toMatchObject([{ state: "revoked", present: false }]);
  release();
});

test("a revocation or a lost approval by another program ends running calls", async () => {
  for (const [code, takeBack] of [
    ["NODE_REVOKED unknown", (other: Nodes) => other.revoke("n1")],
    ["NODE_NOT_APPROVED unknown", (other: Nodes) => other.approve("n1", { commands: ["camera.snap"] })],
  ] as const) {
    const { commands, held } = camera();
    const pairings = memoryRecords<NodePairing>();
    const node = createNode({ id: "n1", commands });
    const [nodes, other] = [open([node], { pairings }), open([node], { pairings })];
    await nodes.approve("n1");
    const target = nodes.resolve({ command: "light.hold" });
    const call = catchErrorCode(() => nodes.invoke({ target, params: {} }));
    await held;
    await takeBack(other);
    expect(await call).toBe(code);
  }
});

test("cancelling a call cancels it on the node", async () => {
  const { commands, held } = camera();
  const nodes = open([createNode({ id: "n1", commands })]);
  await nodes.approve("n1");
  const controller = new AbortController();
  const target = nodes.resolve({ command: "light.hold" });
  const call = catchErrorCode(() => nodes.invoke({ target, params: {}, signal: controller.signal }));
  await held;
  controller.abort();
  expect(await call).toBe("ABORTED unknown");
});

test("closing aborts running calls", async () => {
  const { commands, held } = camera();
  const nodes = open([createNode({ id: "n1", commands })]);
  await nodes.approve("n1");
  const target = nodes.resolve({ command: "light.hold" });
  const call = catchErrorCode(() => nodes.invoke({ target, params: {} }));
  await held;
  await nodes.close();
  expect(await call).toBe("HOST_CLOSED unknown");
  expect(await catchErrorCode(() => nodes.resolve({ command: "light.hold" }))).toBe("HOST_CLOSED none");
});
