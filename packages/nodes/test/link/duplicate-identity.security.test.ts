import { expect, test } from "vitest";
import { createIdentity, findDuplicateNode } from "../../src/index.ts";
import { camera } from "../support/camera.ts";
import { createBroker } from "../support/memory-bus.ts";
import { serveTestNode } from "../support/test-nodes.ts";

const ask = { boot: "mine", waitMs: 300 };
/** Whoever is there answers sooner. */
const patiently = { boot: "mine", waitMs: 60_000 };

test("finds another program that serves the node and ignores the caller's own answers", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const { identity, node } = kitchen;
  expect(await findDuplicateNode(server.connect(), identity, patiently)).toBe(node.boot);
  expect(await findDuplicateNode(server.connect(), identity, { ...ask, boot: node.boot })).toBeUndefined();
  await kitchen.served.close();
  expect(await findDuplicateNode(server.connect(), identity, ask)).toBeUndefined();
});

test("answers without the key, or to an older request, do not block a start", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const { identity } = kitchen;
  await findDuplicateNode(server.connect(), identity, patiently);
  const [older] = server.messages.filter(({ bytes, subject }) => subject.endsWith(".here") && bytes[0] === 2);
  await kitchen.served.close();
  const stranger = createIdentity();
  const mallory = server.connect();
  mallory.subscribe(`haft.node.${identity.id}.here`, ({ subject, bytes }) => {
    if (bytes[0] === 2) return;
    mallory.publish(subject, older!.bytes);
    mallory.publish(subject, Buffer.concat([Buffer.of(2), Buffer.alloc(64), Buffer.from('{"boot":"x"}')]));
    mallory.publish(
      subject,
      Buffer.concat([Buffer.of(2), stranger.sign("haft node here 1"), Buffer.from("{}")]),
    );
  });
  expect(older).toBeDefined();
  expect(await findDuplicateNode(server.connect(), identity, ask)).toBeUndefined();
});

test("reports a server that does not carry the request", async () => {
  const server = createBroker();
  const identity = createIdentity();
  let times = 0;
  const unasked = () => void times++;
  expect(await findDuplicateNode(server.connect(), identity, { ...ask, unasked })).toBeUndefined();
  expect(times).toBe(0);
  server.intercept = ({ subject, ...rest }) => (subject.endsWith(".here") ? [] : [{ subject, ...rest }]);
  expect(await findDuplicateNode(server.connect(), identity, { ...ask, unasked })).toBeUndefined();
  expect(times).toBe(1);
});

test("limits signatures for repeated requests", async () => {
  const server = createBroker();
  const { identity } = await serveTestNode(server.connect(), camera().commands);
  const mallory = server.connect();
  for (let at = 0; at < 200; at++)
    mallory.publish(`haft.node.${identity.id}.here`, Buffer.from(JSON.stringify({ asks: `${at}` })));
  const signed = () =>
    server.messages.filter(({ bytes, subject }) => subject.endsWith(".here") && bytes[0] === 2).length;
  await expect.poll(signed).toBeGreaterThan(0);
  // Two, where the second changes meanwhile.
  expect(signed()).toBeLessThanOrEqual(20);
});
