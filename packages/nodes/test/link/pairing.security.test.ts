import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createIdentity } from "../../src/index.ts";
import { pairingCode } from "../../src/link/pairing/pairing-code.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost, serveTestNode } from "../support/test-nodes.ts";

const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Record<string, string>;
const write = (value: object) => Buffer.from(JSON.stringify(value));

test("both sides show the same code, and nothing is stored before both accept", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const desk = createTestHost(server.connect());
  const waiting = kitchen.served.pair(new AbortController().signal);
  const offer = await desk.nodes.pair(kitchen.node.id);
  const request = await waiting;
  expect(request.code).toBe(offer.code);
  expect(offer.declaration).toEqual(kitchen.node.declaration);
  expect(desk.pairings.ids()).toEqual([]);
  request.refuse();
  offer.accept();
  expect(await catchErrorCode(() => desk.nodes.approve(kitchen.node.id))).toBe("NODE_NOT_PAIRED none");
  expect(kitchen.hosts.ids()).toEqual([]);
});

test("an attacker in between with other keys causes different codes", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const desk = createTestHost(server.connect());
  const mallory = createIdentity().id;
  const nonce = randomBytes(16).toString("base64url");
  const commitment = createHash("sha256")
    .update(JSON.stringify(["haft pairing commitment 1", mallory, nonce]))
    .digest("base64url");
  // As the host towards the node; towards the host everything passes as the node says it.
  server.intercept = (message) => {
    if (!message.subject.endsWith(".pair")) return [message];
    const fields = read(message.bytes);
    const replaced = fields["commitment"] === undefined ? { nonce } : { commitment };
    return [{ ...message, bytes: write({ ...fields, host: mallory, ...replaced }) }];
  };
  const waiting = kitchen.served.pair(new AbortController().signal);
  const offer = await desk.nodes.pair(kitchen.node.id);
  const request = await waiting;
  expect(request.hostId).toBe(mallory);
  expect(request.code).not.toBe(offer.code);
});

test("rejects a nonce without its commitment, so that no side can choose it late", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const desk = createTestHost(server.connect());
  server.intercept = (message) => {
    const fields = message.subject.endsWith(".pair") ? read(message.bytes) : {};
    return fields["step"] === (2 as never)
      ? [{ ...message, bytes: write({ ...fields, nonce: "another" }) }]
      : [message];
  };
  void kitchen.served.pair(new AbortController().signal).catch(() => undefined);
  expect(await catchErrorCode(() => desk.nodes.pair(kitchen.node.id))).toBe("NODE_PAIRING_FAILED none");
});

test("a node accepts one host and one attempt, and only while a person waits", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const [desk, other] = [createTestHost(server.connect()), createTestHost(server.connect())];
  expect(await catchErrorCode(() => desk.nodes.pair(kitchen.node.id))).toBe("NODE_PAIRING_FAILED none");
  const ending = new AbortController();
  const waiting = kitchen.served.pair(ending.signal);
  expect(await catchErrorCode(() => kitchen.served.pair(ending.signal))).toBe("NODE_PAIRING_FAILED none");
  await desk.nodes.pair(kitchen.node.id);
  expect(await catchErrorCode(() => other.nodes.pair(kitchen.node.id))).toBe("NODE_PAIRING_FAILED none");
  const request = await waiting;
  ending.abort();
  // Too late: the window is closed.
  request.accept();
  expect(kitchen.hosts.ids()).toEqual([]);
  const none = AbortSignal.abort();
  expect(await catchErrorCode(() => kitchen.served.pair(none))).toBe("NODE_PAIRING_FAILED none");
});

test("the code depends on every fact", () => {
  const facts = {
    host: "h",
    hostName: "desk",
    node: "n",
    nodeName: "kitchen",
    declaration: "d",
    hostNonce: "1",
    nodeNonce: "2",
  };
  const codes = Object.keys(facts).map((fact) => pairingCode({ ...facts, [fact]: "x" }));
  expect(new Set([pairingCode(facts), ...codes]).size).toBe(8);
});

test("ignores pairing requests with invalid ids without ending the pairing", async () => {
  const server = createBroker();
  const kitchen = await serveTestNode(server.connect(), camera().commands);
  const desk = createTestHost(server.connect());
  const mallory = server.connect();
  const waiting = kitchen.served.pair(new AbortController().signal);
  const nonce = randomBytes(16).toString("base64url");
  for (const id of [`${desk.identity.id}) wants to be paired.\n\n  1234 5678\n\u001b[8m`, "../hosts", ""]) {
    const commitment = createHash("sha256")
      .update(JSON.stringify(["haft pairing commitment 1", id, nonce]))
      .digest("base64url");
    const say = (value: object) =>
      mallory.publish(`haft.node.${kitchen.node.id}.pair`, write({ host: id, ...value }));
    say({ step: 1, hostName: "desk", commitment });
    say({ step: 2, nonce });
  }
  await mallory.flush();
  const offer = await desk.nodes.pair(kitchen.node.id);
  expect(await waiting).toMatchObject({ hostId: desk.identity.id, code: offer.code });
});
