import { expect, test } from "vitest";
import {
  createIdentity,
  createNode,
  type KnownHost,
  memoryRecords,
  pairNode,
  serveNode,
} from "../../src/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost } from "../support/test-nodes.ts";

/** A node that one program serves while another one, with the same records, may pair it. */
async function twoPrograms(isServed = true) {
  const server = createBroker();
  const identity = createIdentity();
  const hosts = memoryRecords<KnownHost>();
  const made = () => createNode({ id: identity.id, name: "kitchen", commands: camera().commands });
  let pairing = false;
  if (isServed) {
    const options = { bus: server.connect(), identity, hosts, isPairingExternally: () => pairing };
    await serveNode(made(), options);
  }
  const other = made();
  const pair = (signal = new AbortController().signal) => {
    pairing = true;
    const over = () => (pairing = false);
    const waiting = pairNode(other, { bus: server.connect(), identity, hosts }, signal);
    waiting.catch(over);
    return waiting;
  };
  return { pair, hosts, desk: createTestHost(server.connect()), id: identity.id };
}

test.each([true, false])(
  "pairs a node from a program that does not serve it (served: %s)",
  async (isServed) => {
    const { pair, hosts, desk, id } = await twoPrograms(isServed);
    const waiting = pair();
    const found = () => desk.transport.discover(300);
    await expect.poll(found).toEqual([{ id, name: "kitchen", pairing: true }]);
    const offer = await desk.nodes.pair(id);
    const request = await waiting;
    expect(request).toMatchObject({ code: offer.code, hostName: "desk" });
    expect(hosts.ids()).toEqual([]);
    request.accept();
    offer.accept();
    expect(hosts.ids()).toEqual([desk.identity.id]);
    // Once: afterwards nobody is taken by it.
    request.accept();
    await expect.poll(found).toHaveLength(isServed ? 1 : 0);
    if (isServed) expect(await desk.nodes.list()).toMatchObject([{ id, present: true, state: "new" }]);
  },
);

test("a refused or cancelled pairing stores no host and ends the wait", async () => {
  const { pair, hosts, desk, id } = await twoPrograms(false);
  const waiting = pair();
  const offer = await desk.nodes.pair(id);
  const request = await waiting;
  request.refuse();
  request.accept();
  offer.accept();
  expect(hosts.ids()).toEqual([]);
  const aborted = new AbortController();
  const over = catchErrorCode(() => pair(aborted.signal));
  aborted.abort();
  expect(await over).toBe("NODE_PAIRING_FAILED none");
  expect(await catchErrorCode(() => desk.nodes.pair(id))).toBe("NODE_UNREACHABLE none");
});

test("rejects the identity of another node", async () => {
  const server = createBroker();
  const node = createNode({ id: "n1", commands: [] });
  const options = { bus: server.connect(), identity: createIdentity(), hosts: memoryRecords<KnownHost>() };
  expect(await catchErrorCode(() => pairNode(node, options, new AbortController().signal))).toBe(
    "NODE_OPTIONS_INVALID none",
  );
});
