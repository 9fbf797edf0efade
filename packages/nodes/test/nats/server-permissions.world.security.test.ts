import { connect } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/until.ts";
import { NATS_SERVER, startNats } from "../../../store/test/nats/support/nats-server.ts";
import { createIdentity, findDuplicateNode, type Identity } from "../../src/index.ts";
import { openNatsBus, serverPermissions } from "../../src/nats/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createTestHost, approveTestNode, serveTestNode } from "../support/test-nodes.ts";

test("rejects an invalid id", async () => {
  expect(await catchErrorCode(() => serverPermissions({ hosts: ["U x } "], nodes: [] }))).toBe(
    "NODE_OPTIONS_INVALID none",
  );
});

describe.skipIf(NATS_SERVER === undefined)("a NATS server", () => {
  test("with permissions lets hosts and nodes work and protects their messages from others", async () => {
    const [kitchenKey, deskKey, mallory] = [createIdentity(), createIdentity(), createIdentity()];
    const server = await startNats(
      serverPermissions({ hosts: [deskKey.id], nodes: [kitchenKey.id, mallory.id] }),
      null,
    );
    onTestFinished(() => server.stop());
    const lines: string[] = [];
    const logger = { warn: (line: string) => void lines.push(line) };
    const bus = ({ seed }: Identity) => openNatsBus({ servers: server.url, nkeySeed: seed, logger });
    const { commands, snapped } = camera();
    const kitchen = await serveTestNode(await bus(kitchenKey), commands, { identity: kitchenKey });
    const desk = createTestHost(await bus(deskKey), { identity: deskKey });
    await approveTestNode(desk, kitchen);
    const target = desk.nodes.resolve({ command: "camera.snap" });
    const again = await bus(kitchenKey);
    onTestFinished(() => again.close());
    expect(await findDuplicateNode(again, kitchenKey, { boot: "mine", waitMs: 5_000 })).toBe(
      kitchen.node.boot,
    );
    const spy = await bus(mallory);
    onTestFinished(() => spy.close());
    const received: string[] = [];
    for (const subject of [`haft.inbox.${deskKey.id}.*.*`, `haft.node.${kitchenKey.id}.link`, "haft.>"])
      spy.subscribe(subject, (message) => received.push(message.subject));
    spy.publish(`haft.node.${kitchenKey.id}.link`, Buffer.from("forged"), `haft.inbox.${mallory.id}.a.0`);
    await spy.flush();
    await desk.nodes.invoke({ target, params: { room: "hall" } });
    expect(snapped).toEqual(["hall"]);
    expect(received).toEqual([]);
    expect(kitchen.served.counts()).toEqual({ forged: 0, replayed: 0 });
    expect(lines).toEqual([]);
  });

  test("without permissions causes a warning, and every forged message is counted", async () => {
    const server = await startNats("", null);
    onTestFinished(() => server.stop());
    const lines: string[] = [];
    const logger = { warn: (line: string) => void lines.push(line) };
    const desk = createTestHost(await openNatsBus({ servers: server.url, logger }));
    expect(lines).toEqual([expect.stringContaining("serverPermissions")]);
    const kitchen = await serveTestNode(await openNatsBus({ servers: server.url }), camera().commands);
    await approveTestNode(desk, kitchen);
    const target = desk.nodes.resolve({ command: "camera.snap" });
    // Anybody hears all, answers first, and says all of it again.
    const nc = await connect({ servers: server.url });
    onTestFinished(() => nc.close());
    let sent = 0;
    nc.subscribe("haft.node.*.link", {
      callback: (_error, { data, subject, reply }) => {
        sent += 1;
        nc.publish(reply!, Buffer.from('{"ok":true}'));
        if (sent < 5) nc.publish(subject, data, { reply: reply! });
      },
    });
    await nc.flush();
    for (const room of ["hall", "attic"]) {
      const { details } = await desk.nodes.invoke({ target, params: { room } });
      expect(details).toEqual({ room });
    }
    await vi.waitFor(() => expect(kitchen.served.counts().replayed).toBeGreaterThan(1), PATIENCE_MS);
  });
});
