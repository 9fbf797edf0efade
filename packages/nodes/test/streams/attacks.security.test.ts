import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../test/support/until.ts";
import type { BusMessage } from "../../src/index.ts";
import type { HostLink } from "../../src/link/host-link.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost, approveTestNode } from "../support/test-nodes.ts";
import { echoWorkspace, openTestWorkspace, readEcho, serveWorkspaces } from "./support.ts";

async function pair() {
  const server = createBroker();
  const echo = echoWorkspace();
  const kitchen = await serveWorkspaces(server.connect(), [echo.workspace], {
    times: { checkMs: 5_000, holdMs: 100 },
  });
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const one = await openTestWorkspace(desk);
  const received: Buffer[] = [];
  one.stream.on("data", (part: Buffer) => received.push(part));
  return { server, echo, kitchen, desk, one, heard: () => Buffer.concat(received) };
}

/** Heads of frames are there for everybody who can read the messages. */
function headOf({ bytes }: BusMessage): { op?: string; id?: string } {
  const frame = Buffer.from(bytes);
  if (frame[0] !== 1) return {};
  return JSON.parse(frame.toString("utf8", 53, 53 + frame.readUInt32LE(49))) as { op?: string; id?: string };
}

const ofStreams = (message: BusMessage) =>
  headOf(message).op === "stream" || /\.s-[^.]+$/.test(message.subject);

test("counts replayed stream messages and delivers no byte twice on either side", async () => {
  const { server, kitchen, desk, one, heard: received } = await pair();
  await readEcho(one, Buffer.from("once"));
  const again = server.messages.filter(ofStreams);
  expect(again.length).toBeGreaterThan(2);
  for (const message of again) server.publish(message);
  const replayed = () => kitchen.served.counts().replayed + desk.transport.counts().replayed;
  await vi.waitFor(() => expect(replayed()).toBe(again.length), PATIENCE_MS);
  await readEcho(one, Buffer.from(" more"));
  expect(received().toString()).toBe("once more");
});

test.each([
  ["its code", 20],
  ["its head", 60],
  ["its body", -1],
])("rejects messages with one changed bit of %s, and no byte is lost", async (_, at) => {
  const { server, kitchen, desk, one, heard: received } = await pair();
  let count = 0;
  server.intercept = (message) => {
    if (!ofStreams(message) || count++ > 8) return [message];
    const bytes = Uint8Array.from(message.bytes);
    bytes[at < 0 ? bytes.length - 1 : at]! ^= 1;
    return [{ ...message, bytes }];
  };
  const bytes = randomBytes(600_000);
  await readEcho(one, bytes);
  expect(received().equals(bytes)).toBe(true);
  expect(kitchen.served.counts().forged + desk.transport.counts().forged).toBeGreaterThan(4);
});

test("another paired host cannot read or disturb the stream", async () => {
  const { server, echo, kitchen, one, heard: received } = await pair();
  await readEcho(one, Buffer.from("mine"));
  const id = server.messages.map(headOf).find(({ op }) => op === "stream")!.id!;
  const other = createTestHost(server.connect());
  await approveTestNode(other, kitchen);
  const link = (await other.transport.link(kitchen.node.id, 5_000)) as HostLink;
  const reports: unknown[] = [];
  link.attach(id, {
    seq: 0,
    unknown: () => reports.push("unknown"),
    take: ({ head }) => reports.push(head.gone),
  });
  link.send(
    { op: "stream", id, left: 0, from: 0, have: 0, until: 2 ** 40, again: true },
    Buffer.from("theirs"),
  );
  link.send({ op: "stream", id, left: 0, close: true }, Buffer.alloc(0));
  await vi.waitFor(() => expect(reports).toEqual([true, true]), PATIENCE_MS);
  await readEcho(one, Buffer.from(" still"));
  expect(received().toString()).toBe("mine still");
  expect(echo.open.size).toBe(1);
});

test("a host that sends more than was granted ends only its own stream", async () => {
  const { server, echo, kitchen, desk, one } = await pair();
  const id = server.messages.map(headOf).find(({ op }) => op === "stream")!.id!;
  const other = await openTestWorkspace(desk);
  const link = (await desk.transport.link(kitchen.node.id, 5_000)) as HostLink;
  link.send({ op: "stream", id, left: 0, from: 2 ** 30, have: 0, until: 0 }, Buffer.from("far"));
  expect((await one.ended).why).toMatch(/it sends more than was granted$/);
  await vi.waitFor(() => expect(echo.open.size).toBe(1), PATIENCE_MS);
  expect((await readEcho(other, Buffer.from("there"))).toString()).toBe("there");
});
