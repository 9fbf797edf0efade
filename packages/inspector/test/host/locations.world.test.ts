import {
  createIdentity,
  createLinkTransport,
  createNode,
  createNodes,
  defineNodeCommand,
  type KnownHost,
  memoryRecords,
  type NodePairing,
  serveNode,
} from "@haft/nodes";
import { openNatsBus } from "@haft/nodes/nats";
import { Type } from "@haft/plugin-sdk";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../../test/support/until.ts";
import { call, isSkipped } from "../../../host/test/sandbox/support.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../store/test/nats/support/nats-server.ts";
import { UseMeter } from "../../src/host/use-meter.ts";
import { openInspectedHost } from "../support/inspector-client.ts";

const MIB = 1024 * 1024;

describe.skipIf(NATS_SERVER === undefined)("nodes", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats("", null);
  });
  afterAll(() => server?.stop());

  test("show offers, limits and use; a missing node shows its approved offers", async () => {
    const bus = () => openNatsBus({ servers: server.url });
    const identity = createIdentity();
    const hosts = memoryRecords<KnownHost>();
    const begun = Promise.withResolvers<void>();
    const hold = defineNodeCommand({
      name: "light.hold",
      description: "Keeps the light on.",
      parameters: Type.Object({}),
      effects: ["write"],
      timeoutMs: 90_000,
      resultBytes: MIB,
      run: (_params, { signal }) => {
        begun.resolve();
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
      },
    });
    const node = createNode({ id: identity.id, name: "kitchen", commands: [hold] });
    const served = await serveNode(node, { bus: await bus(), identity, hosts });
    const own = createIdentity();
    const pairings = memoryRecords<NodePairing>();
    const transport = createLinkTransport({ bus: await bus(), identity: own, name: "desk" });
    const nodes = createNodes({ transport, pairings });
    onTestFinished(() => nodes.close());
    hosts.write(own.id, { name: "desk", pairedAt: 1 });
    pairings.write(node.id, { name: "kitchen", pairedAt: 1 });
    await nodes.approve(node.id);
    const { page } = await openInspectedHost({ nodes });
    const shown = async () => (await page.get("/api/places")).nodes[0];
    await until("it says what it uses", async () => (await shown()).use?.calls === "0");
    const { use, ...rest } = await shown();
    expect(rest).toMatchObject({
      name: "kitchen",
      state: "approved",
      present: true,
      offers: [{ name: "light.hold", limit: "90 s, 1.0 MiB" }],
      limits: { calls: "64", workspaces: "64" },
    });
    expect(Number(use.memoryMb)).toBeGreaterThan(10);
    expect(Number(use.machineMb)).toBeLessThan(Number(rest.limits.machineMb));
    const ends = new AbortController();
    const held = nodes.invoke({
      target: nodes.resolve({ command: "light.hold" }),
      params: {},
      signal: ends.signal,
    });
    await begun.promise;
    await until("the call is counted", async () => (await shown()).use?.calls === "1");
    ends.abort();
    await expect(held).rejects.toMatchObject({
      code: "ABORTED",
      message: expect.stringContaining("The host cancelled the call"),
    });
    await served.close();
    await until("it is away", async () => (await shown()).present === false);
    const away = await shown();
    expect(away).toMatchObject({ state: "approved", limits: {}, offers: [{ name: "light.hold" }] });
    expect(away).not.toHaveProperty("use");
  });
});

describe.skipIf(isSkipped)("views of this machine", () => {
  test("are not opened by the page, and show the use of their commands with the limits", async () => {
    const { host, page, folder } = await openInspectedHost({ preset: "contained" });
    const [one, other] = [
      await host.openSession({ sessionKey: "one" }),
      await host.openSession({ sessionKey: "other" }),
    ];
    const found = async () => (await page.get("/api/places")).views;
    expect(await page.get("/api/processes")).toEqual({ items: [] });
    expect(await found()).toEqual([]);
    expect(existsSync(join(getStateFolder(folder), "contained"))).toBe(false);
    const busy = `node -e '
      require("node:fs").writeFileSync("/tmp/filled", Buffer.alloc(${24 * MIB}));
      globalThis.kept = Buffer.alloc(${96 * MIB}, 1);
      for (;;);'`;
    await call(one, "exec", { command: busy, background: true });
    await until("it uses what it does", async () => {
      const [first] = await found();
      return (
        Number(first?.use?.memoryMb) > 90 && Number(first?.use?.tmpMb) >= 24 && Number(first?.use?.cpus) > 0
      );
    });
    expect(existsSync(join(getStateFolder(folder), "contained"))).toBe(true);
    const [only, ...more] = await found();
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      runId: one.opening,
      sessionKey: "one",
      running: 1,
      network: "none",
      limits: { tmpMb: "1024" },
    });
    await call(other, "exec", { command: "true" });
    await until("the other one has nothing that runs", async () => {
      const [, second] = await found();
      return second?.sessionKey === "other" && second.running === 0;
    });
    await one.close();
    expect((await found()).map(({ sessionKey }: { sessionKey: string }) => sessionKey)).toEqual(["other"]);
  });
});

test("are measured once for concurrent requests, each separately", async () => {
  const meter = new UseMeter();
  let looks = 0;
  const look = () => ({ tasks: ++looks, cpuMs: looks * 100 });
  const ask = (id: string) => meter.measure(id, look);
  const [first, second, third] = await Promise.all([ask("a"), ask("a"), ask("b")]);
  expect(looks).toBe(4);
  expect(first).toEqual(second);
  expect(third).not.toEqual(first);
  const failing = () => {
    throw new Error("It is gone.");
  };
  expect(await meter.measure("c", failing)).toBeUndefined();
});
