import { connect } from "@nats-io/transport-node";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { NATS_SERVER, startNats, type TestServer } from "../../../store/test/nats/support/nats-server.ts";
import { createIdentity, type Identity } from "../../src/index.ts";
import { openNatsBus } from "../../src/nats/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { startWorker } from "../support/programs.ts";
import { createTestHost, approveTestNode, serveTestNode, type TestHost } from "../support/test-nodes.ts";

let server: TestServer;
beforeAll(async () => {
  if (NATS_SERVER !== undefined) server = await startNats("", null);
});
afterAll(() => server?.stop());

const bus = (servers = server.url) => openNatsBus({ servers });

/** A node in a process of its own, which the host has approved. */
async function worker(
  desk: TestHost,
  { url = server.url, ...more }: { url?: string; identity?: Identity; ahead?: number } = {},
) {
  const made = await startWorker(url, [desk.identity.id], more);
  desk.pairings.write(made.id, { name: "worker", pairedAt: 1 });
  await desk.nodes.approve(made.id);
  return made;
}

describe.skipIf(NATS_SERVER === undefined)("over a NATS server", () => {
  test("discovers, pairs, approves and calls nodes", async () => {
    const { commands, snapped } = camera();
    const kitchen = await serveTestNode(await bus(), commands);
    const desk = createTestHost(await bus());
    await vi.waitFor(async () => expect(await desk.transport.discover(100)).toHaveLength(1), 60_000);
    expect(await catchErrorCode(() => desk.transport.pair!(kitchen.node.id))).toBe(
      "NODE_PAIRING_FAILED none",
    );
    const waiting = kitchen.served.pair(AbortSignal.timeout(30_000));
    const [found] = await vi.waitUntil(async () => {
      const all = await desk.transport.discover(100);
      return all.length > 0 && all;
    }, 10_000);
    expect(found).toEqual({ id: kitchen.node.id, name: "kitchen", pairing: true });
    const offer = await desk.nodes.pair(found!.id);
    const request = await waiting;
    expect(offer.code).toMatch(/^\d{4} \d{4}$/);
    expect(request).toMatchObject({ code: offer.code, hostId: desk.identity.id, hostName: "desk" });
    request.accept();
    offer.accept();
    expect(await desk.nodes.list()).toMatchObject([{ name: "kitchen", state: "new", present: true }]);
    await desk.nodes.approve(found!.id);
    const target = desk.nodes.resolve({ command: "camera.snap" });
    await desk.nodes.invoke({ target, params: { room: "hall" } });
    expect(snapped).toEqual(["hall"]);
  });

  test("a node killed during a call soon leaves an unknown outcome, and the call is not repeated", async () => {
    const desk = createTestHost(await bus());
    const { process: child, ran, id } = await worker(desk);
    const target = desk.nodes.resolve({ node: id, command: "work.start" });
    const call = catchErrorCode(() => desk.nodes.invoke({ target, params: { what: "once" } }));
    await vi.waitFor(() => expect(ran()).toEqual(["once"]), 60_000);
    child.kill("SIGKILL");
    expect(await call).toBe("NODE_OUTCOME_UNKNOWN unknown");
    expect(await catchErrorCode(() => desk.nodes.invoke({ target, params: { what: "twice" } }))).toBe(
      "NODE_UNREACHABLE none",
    );
    expect(ran()).toEqual(["once"]);
  });

  test("reconnects to a restarted node, and calls to its earlier start have an unknown outcome", async () => {
    const desk = createTestHost(await bus());
    const identity = createIdentity();
    const first = await worker(desk, { identity });
    const target = desk.nodes.resolve({ node: identity.id, command: "work.start" });
    const call = catchErrorCode(() => desk.nodes.invoke({ target, params: { what: "first" } }));
    await vi.waitFor(() => expect(first.ran()).toEqual(["first"]), 60_000);
    first.process.kill("SIGKILL");
    const second = await worker(desk, { identity });
    expect(await call).toBe("NODE_OUTCOME_UNKNOWN unknown");
    const note = desk.nodes.resolve({ node: identity.id, command: "work.note" });
    await desk.nodes.invoke({ target: note, params: { what: "second" } });
    expect(second.ran()).toEqual(["second"]);
  });

  test("a restart of the server during a call loses no answer", async () => {
    const limited = await startNats("", null);
    onTestFinished(() => limited.stop());
    const { commands, held, release } = camera();
    const kitchen = await serveTestNode(await bus(limited.url), commands);
    const desk = createTestHost(await bus(limited.url));
    await approveTestNode(desk, kitchen);
    const target = desk.nodes.resolve({ command: "light.hold" });
    const call = desk.nodes.invoke({ target, params: {} });
    await held;
    await limited.kill();
    release();
    await setTimeout(300);
    await limited.start();
    expect(await call).toMatchObject({ content: [{ text: "off again" }] });
  });

  test("a node does not start a call after its time, for any delay", async () => {
    const desk = createTestHost(await bus());
    const { process: child, ran, id } = await worker(desk);
    const target = desk.nodes.resolve({ node: id, command: "work.note" });
    await desk.nodes.invoke({ target, params: { what: "in time" } });
    child.kill("SIGSTOP");
    expect(
      await catchErrorCode(() => desk.nodes.invoke({ target, params: { what: "late" }, timeoutMs: 300 })),
    ).toBe("NODE_OUTCOME_UNKNOWN unknown");
    await setTimeout(1_000);
    child.kill("SIGCONT");
    await vi.waitFor(
      async () => expect(await desk.nodes.invoke({ target, params: { what: "after" } })).toBeDefined(),
      10_000,
    );
    expect(ran()).toEqual(["in time", "after"]);
  });

  test("does not compare the clocks of host and node", async () => {
    const desk = createTestHost(await bus());
    const { ran, id } = await worker(desk, { ahead: 3 * 24 * 3_600_000 });
    const target = desk.nodes.resolve({ node: id, command: "work.note" });
    await desk.nodes.invoke({ target, params: { what: "now" }, timeoutMs: 5_000 });
    expect(ran()).toEqual(["now"]);
  });

  test("a node disconnected as a slow reader comes back, and its receipts are true", async () => {
    const limited = await startNats('max_pending: 1MB\nwrite_deadline: "100ms"', null);
    onTestFinished(() => limited.stop());
    const desk = createTestHost(await bus(limited.url));
    const { process: child, ran, id } = await worker(desk, { url: limited.url });
    const target = desk.nodes.resolve({ node: id, command: "work.note" });
    await desk.nodes.invoke({ target, params: { what: "before" } });
    child.kill("SIGSTOP");
    const flood = await connect({ servers: limited.url });
    onTestFinished(() => flood.close());
    const lost = catchErrorCode(() =>
      desk.nodes.invoke({ target, params: { what: "lost" }, timeoutMs: 2_000 }),
    );
    // Until the server has given it up, which it says in answer to the next message for it.
    await vi.waitFor(
      async () => {
        for (let at = 0; at < 30; at++) flood.publish(`haft.node.${id}.link`, Buffer.alloc(500_000));
        await flood.flush();
        const rejected = flood.request(`haft.node.${id}.link`, "", { timeout: 200 });
        await expect(rejected).rejects.toThrow(/no responders/i);
      },
      { timeout: 60_000, interval: 50 },
    );
    child.kill("SIGCONT");
    const outcome = await lost;
    // It may have had the call before it was driven out, and go on with it in time.
    if (outcome === "none") expect(ran()).toContain("lost");
    else expect(outcome).toMatch(/^NODE_(OUTCOME_UNKNOWN|COMMAND_TIMEOUT) unknown$|^NODE_\w+ none$/);
    await vi.waitFor(
      async () => expect(await desk.nodes.invoke({ target, params: { what: "after" } })).toBeDefined(),
      60_000,
    );
    expect(ran().filter((what) => what === "lost").length).toBeLessThanOrEqual(1);
    if ((await lost).endsWith(" none")) expect(ran()).not.toContain("lost");
    expect(ran().at(-1)).toBe("after");
  });

  test("reports an unreachable server and rejected credentials", async () => {
    for (const [secret, shown] of [
      ["nats://someone:secret@127.0.0.1:1", "nats://127.0.0.1:1"],
      ["nats://someone:sec@ret@127.0.0.1:1", "nats://127.0.0.1:1"],
      ["nats://someone:sec/ret@127.0.0.1:1", "nats://127.0.0.1:1"],
      ["secret@127.0.0.1:1", "127.0.0.1:1"],
    ] as const)
      await expect(openNatsBus({ servers: secret })).rejects.toThrow(
        new RegExp(`^No connection to the NATS server at ${shown}: (?!.*ret)`),
      );
    const closed = await startNats('authorization { user: "a", password: "b" }', null);
    onTestFinished(() => closed.stop());
    expect(await catchErrorCode(() => bus(closed.url))).toBe("NATS_FAILED none");
    expect(await catchErrorCode(() => openNatsBus({ servers: closed.url, prefix: "a.b" }))).toBe(
      "NODE_OPTIONS_INVALID none",
    );
  });
});
