import { expect, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/until.ts";
import { createIdentity, type BusMessage } from "../../src/index.ts";
import { DOMAINS } from "../../src/link/key-agreement.ts";
import { signMessage } from "../../src/link/signed-message.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost, approveTestNode, serveTestNode } from "../support/test-nodes.ts";

async function paired() {
  const server = createBroker();
  const house = camera();
  const kitchen = await serveTestNode(server.connect(), house.commands);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const target = desk.nodes.resolve({ command: "camera.snap" });
  const snap = (room = "hall") => desk.nodes.invoke({ target, params: { room } });
  return { server, ...house, kitchen, desk, target, snap };
}

const isTo = (part: string) => (message: BusMessage) => message.subject.endsWith(`.${part}`);
/** Whoever was not heard for a second is asked for a sign before a call: on a busy machine that comes first. */
const isCall = (message: BusMessage) =>
  isTo("link")(message) && Buffer.from(message.bytes).includes('"op":"invoke"');

test("replayed messages run nothing, get no answer and are counted", async () => {
  const { server, kitchen, snap, snapped } = await paired();
  await snap();
  const before = server.messages.length;
  const sent = server.messages.filter(isTo("link"));
  for (const message of sent) server.publish(message);
  await vi.waitFor(() => expect(kitchen.served.counts().replayed).toBe(sent.length), PATIENCE_MS);
  expect(snapped).toEqual(["hall"]);
  expect(server.messages.length).toBe(before);
});

test("rejects a message that arrives after a later message", async () => {
  const { server, kitchen, snap, snapped } = await paired();
  await snap();
  let held: BusMessage | undefined;
  server.intercept = (message) => {
    if (held !== undefined || !isCall(message)) return [message];
    held = message;
    return [];
  };
  const lost = catchErrorCode(() => snap("cellar"));
  await vi.waitFor(() => expect(held).toBeDefined(), PATIENCE_MS);
  await snap("attic");
  server.publish(held!);
  await vi.waitFor(() => expect(kitchen.served.counts().replayed).toBe(1), PATIENCE_MS);
  // Asked what became of it, the node says that it never came; and it will not run any more.
  expect(await lost).toBe("NODE_NOT_DELIVERED none");
  expect(snapped).toEqual(["hall", "attic"]);
});

test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
  ["one bit of its code", (bytes) => flipped(bytes, 20)],
  ["one bit of its head", (bytes) => flipped(bytes, 60)],
  ["one bit of its body", (bytes) => flipped(bytes, bytes.length - 2)],
  ["its end", (bytes) => bytes.subarray(0, -1)],
  ["extra bytes at its end", (bytes) => Buffer.concat([bytes, Buffer.of(32)])],
])("rejects an invocation with a change of %s", async (_, change) => {
  const { server, kitchen, snap, snapped } = await paired();
  let changed = 0;
  server.intercept = (message) => {
    if (changed > 0 || !isCall(message)) return [message];
    changed += 1;
    return [{ ...message, bytes: change(message.bytes) }];
  };
  expect(await catchErrorCode(() => snap())).toBe("NODE_NOT_DELIVERED none");
  expect(kitchen.served.counts().forged).toBe(1);
  expect(snapped).toEqual([]);
});

test("rejects a message with another subject or inbox", async () => {
  const { server, kitchen, snap, snapped } = await paired();
  const other = await serveTestNode(server.connect(), camera().commands, { name: "attic" });
  const stolen: BusMessage[] = [];
  server.intercept = (message) => {
    if (stolen.length > 0 || !isCall(message)) return [message];
    stolen.push(message);
    return [
      { ...message, subject: message.subject.replace(kitchen.node.id, other.node.id) },
      { ...message, reply: message.reply!.replace(/inbox\.[^.]+/, "inbox.MALLORY") },
    ];
  };
  expect(await catchErrorCode(() => snap())).toBe("NODE_NOT_DELIVERED none");
  expect(snapped).toEqual([]);
  expect(kitchen.served.counts().forged).toBe(1);
});

test("rejects answers of another paired node and of other calls", async () => {
  const { server, desk, snap } = await paired();
  const mallory = await serveTestNode(server.connect(), camera().commands, { name: "attic" });
  await approveTestNode(desk, mallory);
  const otherTarget = desk.nodes.resolve({ node: "attic", command: "camera.snap" });
  await desk.nodes.invoke({ target: otherTarget, params: { room: "theirs" } });
  await snap("first");
  const old = server.messages.filter(({ subject }) => subject.includes(".inbox."));
  server.intercept = (message) => {
    if (!message.subject.includes(".inbox.")) return [message];
    // In front of the true answer: all that was ever said, and what says nothing.
    const forged = old.map(({ bytes }) => ({ subject: message.subject, bytes }));
    return [...forged, { subject: message.subject, bytes: Buffer.from("{}") }, message];
  };
  expect(await snap("second")).toMatchObject({ details: { room: "second" } });
  expect(desk.transport.counts().forged).toBe(old.length + 1);
});

test("forged reports of a missing subscriber or an unknown link do not hide the real answer", async () => {
  const { server, desk, snap, snapped } = await paired();
  const mallory = createIdentity();
  server.intercept = (message) => {
    if (!message.subject.includes(".inbox.")) return [message];
    const link = Buffer.from(message.subject.split(".").at(-2)!, "hex");
    const unknown = signMessage(mallory, DOMAINS.unknown, {}, link);
    return [
      { subject: message.subject, bytes: unknown },
      { subject: message.subject, bytes: new Uint8Array(), noResponders: true },
      message,
    ];
  };
  expect(await snap()).toMatchObject({ details: { room: "hall" } });
  expect(snapped).toEqual(["hall"]);
  expect(desk.transport.counts().forged).toBeGreaterThan(0);
});

test("a replayed greeting yields no usable key and displaces no link", async () => {
  const { server, kitchen, snap, snapped } = await paired();
  const hello = server.messages.find(isTo("hello"))!;
  for (let at = 0; at < 50; at++) server.publish(hello);
  await snap();
  expect(snapped).toEqual(["hall"]);
  expect(kitchen.served.counts()).toEqual({ forged: 0, replayed: 0 });
});

test("a greeting or its answer with another signature opens no link", async () => {
  const { server, kitchen, desk } = await paired();
  const mallory = createIdentity();
  const subject = `haft.node.${kitchen.node.id}.hello`;
  const forged = signMessage(
    mallory,
    DOMAINS.hello,
    { host: desk.identity.id, key: "x" },
    Buffer.from(subject),
  );
  server.publish({ subject, bytes: forged, reply: `haft.inbox.${desk.identity.id}.a.0` });
  await vi.waitFor(() => expect(kitchen.served.counts().forged).toBe(1), PATIENCE_MS);
  // In the place of the node.
  server.intercept = (message) =>
    message.subject.includes(".inbox.")
      ? [{ ...message, bytes: signMessage(mallory, DOMAINS.answer, { link: "00", key: "x" }) }]
      : [message];
  const before = desk.transport.counts().forged;
  expect(await catchErrorCode(() => desk.transport.link(kitchen.node.id, 3_000))).toBe(
    "NODE_UNREACHABLE none",
  );
  expect(desk.transport.counts().forged).toBe(before + 1);
});

test("ignores messages of a forgotten host at once", async () => {
  const { kitchen, desk, snap, snapped } = await paired();
  await snap();
  kitchen.hosts.remove(desk.identity.id);
  expect(await catchErrorCode(() => snap("cellar"))).toMatch(
    /^NODE_(OUTCOME_UNKNOWN unknown|NOT_PAIRED none)$/,
  );
  expect(await catchErrorCode(() => snap("cellar"))).toBe("NODE_NOT_PAIRED none");
  expect(snapped).toEqual(["hall"]);
});

test("sends nothing to a revoked node that stays connected", async () => {
  const { server, kitchen, desk, snap, snapped, target } = await paired();
  await snap();
  desk.nodes.revoke(kitchen.node.id);
  const before = server.messages.length;
  expect(await catchErrorCode(() => desk.nodes.invoke({ target, params: { room: "cellar" } }))).toBe(
    "NODE_REVOKED none",
  );
  expect(server.messages.length).toBe(before);
  expect(snapped).toEqual(["hall"]);
});

test("does not answer to subjects outside the inboxes", async () => {
  const { server, kitchen } = await paired();
  const subject = `haft.node.${kitchen.node.id}.pair`;
  const before = server.messages.length;
  server.publish({ subject, bytes: Buffer.from("{}"), reply: "haft.node.OTHER.link" });
  server.publish({ subject: "haft.nodes.who", bytes: Buffer.alloc(0), reply: "another.subject" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.messages.length).toBe(before);
});

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at]! ^= 1;
  return changed;
}
