import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { NATS_SERVER, startNats, type TestServer } from "../../../store/test/nats/support/nats-server.ts";
import { readNodeUsage } from "../../src/contract/usage.ts";
import type { NodeUsage } from "../../src/contract/usage.ts";
import {
  createIdentity,
  createNode,
  type HaftNode,
  type KnownHost,
  memoryRecords,
  serveNode,
} from "../../src/index.ts";
import { openNatsBus } from "../../src/nats/index.ts";
import { camera } from "../support/camera.ts";
import { startWorker } from "../support/programs.ts";
import { createTestHost, approveTestNode, serveTestNode, type TestHost } from "../support/test-nodes.ts";

const MIB = 1024 * 1024;

let server: TestServer;
beforeAll(async () => {
  if (NATS_SERVER !== undefined) server = await startNats("", null);
});
afterAll(() => server?.stop());

const bus = () => openNatsBus({ servers: server.url });

/** However long the machine takes to answer: the list waits a second and a half. */
function useOf(
  desk: TestHost,
  fits: (use: NodeUsage | undefined) => boolean,
): Promise<NodeUsage | undefined> {
  return vi.waitFor(
    async () => {
      const [node] = await desk.nodes.list({ use: true });
      const { present, use } = node!;
      if (!present || !fits(use)) throw new Error(`it says ${JSON.stringify({ present, use })}`);
      return use;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Served with another word about what it uses. */
async function lying(reported: unknown): Promise<TestHost> {
  const identity = createIdentity();
  const hosts = memoryRecords<KnownHost>();
  const honest = createNode({ id: identity.id, name: "kitchen", commands: camera().commands });
  const node = new Proxy<HaftNode>(honest, {
    get(of, name) {
      if (name === "use") return async () => reported;
      const value: unknown = Reflect.get(of, name, of);
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
  const served = await serveNode(node, { bus: await bus(), identity, hosts });
  onTestFinished(() => served.close());
  const desk = createTestHost(await bus());
  await approveTestNode(desk, { identity, node, served, hosts });
  return desk;
}

describe.skipIf(NATS_SERVER === undefined)("resource usage of a node", () => {
  test("describes its program, machine and running calls, only on request", async () => {
    const desk = createTestHost(await bus());
    const { id } = await startWorker(server.url, [desk.identity.id]);
    desk.pairings.write(id, { name: "worker", pairedAt: 1 });
    await desk.nodes.approve(id);
    const idle = await useOf(desk, (use) => use?.calls === 0);
    expect(idle).toMatchObject({ mostCalls: 64, workspaces: 0, mostWorkspaces: 64 });
    expect(idle!.memoryBytes).toBeGreaterThan(10 * MIB);
    expect(idle!.memoryBytes).toBeLessThan(idle!.machineMemoryBytes!);
    expect(idle!.machineFreeBytes).toBeLessThan(idle!.machineMemoryBytes!);
    expect(idle!.tasks).toBeGreaterThan(0);
    expect(idle!.machineCpus).toBeGreaterThan(0);
    const target = desk.nodes.resolve({ command: "work.start" });
    const ends = new AbortController();
    const call = desk.nodes.invoke({ target, params: { what: "now" }, signal: ends.signal });
    await useOf(desk, (use) => use?.calls === 1);
    ends.abort();
    await expect(call).rejects.toThrow("cancelled the call");
    await useOf(desk, (use) => use?.calls === 0);
    expect((await desk.nodes.list())[0]).not.toHaveProperty("use");
  });

  test.each<[string, unknown, NodeUsage | undefined]>([
    ["that does not answer the request", undefined, undefined],
    ["that answers a list", [1, 2], undefined],
    ["that answers a text", "much", undefined],
    ["that answers null", null, undefined],
    ["with other types", { calls: "1", memoryBytes: [5], cpus: {}, tasks: true }, undefined],
    [
      "with invalid numbers",
      { calls: Number.NaN, cpus: Infinity, tasks: null, memoryBytes: 5 },
      { memoryBytes: 5 },
    ],
    ["with negative values", { calls: -1, cpus: -0.5, tasks: 3 }, { tasks: 3 }],
    [
      "with impossible values",
      { calls: 1e300, memoryBytes: 2 ** 60, machineCpus: 1e9, cpus: 2 },
      { cpus: 2 },
    ],
    ["with unknown values", { cpus: 1, ["__proto__"]: { tasks: 1 }, html: "<b>" }, { cpus: 1 }],
    ["that answers half a megabyte", { cpus: 1, more: "x".repeat(500_000) }, undefined],
    ["that answers ten megabytes", { cpus: 1, more: "x".repeat(10_000_000) }, undefined],
  ])("a node %s counts as present, and implausible values are dropped", async (_, reported, expected) => {
    const desk = await lying(reported);
    // What cannot be answered at all comes late, and is no reason to take it for away.
    expect(await useOf(desk, () => true)).toEqual(expected);
    const target = desk.nodes.resolve({ command: "camera.snap" });
    expect(await desk.nodes.invoke({ target, params: { room: "hall" } })).toMatchObject({
      details: { room: "hall" },
    });
  });

  test("an older node answers a ping without usage", () => {
    expect(readNodeUsage(new Uint8Array(0))).toBeUndefined();
  });

  test("parallel requests share one measurement", async () => {
    const kitchen = await serveTestNode(await bus(), camera().commands);
    const desk = createTestHost(await bus());
    await approveTestNode(desk, kitchen);
    const all = await Promise.all(Array.from({ length: 20 }, () => kitchen.node.use()));
    expect(new Set(all.map(({ cpus, memoryBytes }) => `${cpus} ${memoryBytes}`)).size).toBe(1);
  });
});
