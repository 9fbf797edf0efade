import { fc, test as property } from "@fast-check/vitest";
import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { type BusMessage, createLocalTransport, createNode, createNodes } from "../../src/index.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createFateGenerator } from "../support/fates.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost, approveTestNode } from "../support/test-nodes.ts";
import { echoWorkspace, openTestWorkspace, readEcho, serveWorkspaces } from "./support.ts";

/** So that nobody waits long for a node that is gone. */
const SHORT = { aliveMs: 1_000, pollMs: 300, retryMs: 100, transitMs: 1_000, stopMs: 600, checkMs: 100 };

async function pair(echo = echoWorkspace(), more: { times?: typeof SHORT } = {}) {
  const server = createBroker();
  const kitchen = await serveWorkspaces(server.connect(), [echo.workspace]);
  const bus = server.connect();
  const desk = createTestHost(bus, more);
  await approveTestNode(desk, kitchen);
  return { server, kitchen, desk, echo, bus };
}

test("returns all bytes in order, the end and its reason", async () => {
  const { desk, echo } = await pair();
  const one = await openTestWorkspace(desk);
  expect(one.mounts).toEqual([{ name: "", path: "/workspace", access: "rw" }]);
  const bytes = randomBytes(9_000_000);
  expect((await readEcho(one, bytes)).equals(bytes)).toBe(true);
  const failed = new Promise<Error>((resolve) => one.stream.once("error", resolve));
  echo.endAll({ why: "its runner ended with exit code 7", exitCode: 7 });
  expect(await one.ended).toEqual({ why: "its runner ended with exit code 7", exitCode: 7 });
  expect((await failed).message).toBe("its runner ended with exit code 7");
});

test("keeps parallel streams separate, and closing one does not affect the others", async () => {
  const { desk, echo } = await pair();
  const all = await Promise.all([openTestWorkspace(desk), openTestWorkspace(desk), openTestWorkspace(desk)]);
  const texts = all.map(() => randomBytes(300_000));
  const echoes = await Promise.all(all.map((one, at) => readEcho(one, texts[at]!)));
  expect(echoes.map((bytes, at) => bytes.equals(texts[at]!))).toEqual([true, true, true]);
  await all[0].close();
  expect(await all[0].ended).toEqual({ why: "it was closed" });
  expect(echo.open.size).toBe(2);
  expect((await readEcho(all[1], Buffer.from("still"))).toString()).toBe("still");
});

test("a half-closed stream still delivers its output to the end", async () => {
  const { desk } = await pair();
  const one = await openTestWorkspace(desk);
  one.stream.end("all there is");
  const parts: Buffer[] = [];
  one.stream.on("data", (part: Buffer) => parts.push(part));
  expect((await one.ended).why).toBe("its input ended");
  expect(Buffer.concat(parts).toString()).toBe("all there is");
});

property.prop([fc.integer(), fc.integer({ min: 0, max: 30 })], { numRuns: 5 })(
  "with lost, duplicated and delayed messages, no byte is lost and one runner starts",
  async (seed, percent) => {
    const { server, desk, echo } = await pair();
    const fateOf = createFateGenerator(seed, percent);
    server.intercept = (message: BusMessage) => {
      const fate = fateOf();
      if (fate === "comes late") setTimeout(() => server.publish(message), 30);
      return fate === "comes" ? [message] : fate === "comes twice" ? [message, message] : [];
    };
    const one = await vi.waitFor(() => openTestWorkspace(desk), 20_000);
    const before = echo.opened;
    const bytes = randomBytes(2_500_000);
    expect((await readEcho(one, bytes)).equals(bytes)).toBe(true);
    expect(echo.opened).toBe(before);
    server.intercept = (message) => [message];
    await one.close();
    await vi.waitFor(() => expect(echo.open.size).toBe(0), 20_000);
  },
);

test("continues over a new link after the node forgot the old link", async () => {
  const { desk, kitchen } = await pair();
  const one = await openTestWorkspace(desk);
  expect((await readEcho(one, Buffer.from("before"))).toString()).toBe("before");
  // More than a node keeps of one host.
  for (let link = 0; link < 40; link++) await desk.transport.link(kitchen.node.id, 5_000);
  const bytes = randomBytes(3_000_000);
  expect((await readEcho(one, bytes)).equals(bytes)).toBe(true);
});

test("a restarted node reports that it no longer has the stream", async () => {
  const { desk, kitchen, echo, server } = await pair();
  const one = await openTestWorkspace(desk);
  server.intercept = ({ subject, ...message }) =>
    subject.startsWith("haft.inbox") ? [] : [{ subject, ...message }];
  // It ends without a word to its host.
  await kitchen.served.close();
  server.intercept = (message) => [message];
  const { identity, hosts } = kitchen;
  await serveWorkspaces(server.connect(), [echo.workspace], { identity, hosts });
  expect((await one.ended).why).toBe("the node no longer has it");
  await one.close();
});

test("reports a silent node to the host with an unknown outcome", async () => {
  const { desk, kitchen, server } = await pair(echoWorkspace(), { times: SHORT });
  const one = await openTestWorkspace(desk);
  server.intercept = () => [];
  expect((await one.ended).why).toBe("the node sent no message for 1 seconds");
  expect(await catchErrorCode(() => one.close())).toBe("NODE_NOT_ENDED unknown");
  // Asked once more when it is back, it says so.
  server.intercept = (message) => [message];
  await one.close();
  expect(kitchen.served.counts()).toEqual({ forged: 0, replayed: 0 });
});

test("the node ends the workspace of a silent host", async () => {
  const { desk, echo, bus } = await pair();
  await openTestWorkspace(desk);
  expect(echo.open.size).toBe(1);
  bus.connected = false;
  await vi.waitFor(() => expect(echo.open.size).toBe(0), 20_000);
});

test("a cancelled opening leaves nothing, whenever it ends", async () => {
  const begun = Promise.withResolvers<void>();
  const ended: string[] = [];
  const echo = echoWorkspace(async (signal) => {
    begun.resolve();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    ended.push("told");
  });
  const { desk } = await pair(echo);
  const controller = new AbortController();
  const opening = catchErrorCode(() => openTestWorkspace(desk, controller.signal));
  await begun.promise;
  controller.abort(new Error("not any more"));
  expect(await opening).toBe("Error: not any more");
  expect({ ended, open: echo.open.size }).toEqual({ ended: ["told"], open: 0 });
});

test("waits for a slow opening, which happens once", async () => {
  const echo = echoWorkspace(() => new Promise((resolve) => setTimeout(resolve, 1_500)));
  const { desk } = await pair(echo);
  const one = await openTestWorkspace(desk);
  expect((await readEcho(one, Buffer.from("there"))).toString()).toBe("there");
  expect(echo.opened).toBe(1);
});

test("returns the node's error of a failed opening", async () => {
  const { desk } = await pair(
    echoWorkspace(() => {
      throw new Error("the disk is not there");
    }),
  );
  const target = desk.nodes.resolveWorkspace({ node: "kitchen", workspace: "project" });
  const opening = desk.nodes.openWorkspace({ target });
  await expect(opening).rejects.toMatchObject({
    code: "NODE_FAILED",
    receipt: "none",
    message: "the disk is not there",
  });
});

test("a revocation or a forgotten host ends streams at once on both sides", async () => {
  const { desk, kitchen, echo } = await pair();
  const one = await openTestWorkspace(desk);
  kitchen.served.forget(desk.identity.id);
  await vi.waitFor(() => expect(echo.open.size).toBe(0), 60_000);
  kitchen.hosts.write(desk.identity.id, { name: "desk", pairedAt: 1 });
  expect((await one.ended).why).toBeTypeOf("string");
  const other = await openTestWorkspace(desk);
  desk.nodes.revoke(kitchen.node.id);
  await vi.waitFor(() => expect(echo.open.size).toBe(0), 60_000);
  expect(other.stream.destroyed).toBe(true);
  expect(await catchErrorCode(() => openTestWorkspace(desk))).toMatch(/^NODE_(NEEDED|REVOKED) none$/);
});

test("limits the workspaces of a host, and closing the node ends all of them", async () => {
  const { desk, kitchen, echo } = await pair();
  for (let count = 0; count < 16; count++) await openTestWorkspace(desk);
  expect(await catchErrorCode(() => openTestWorkspace(desk))).toBe("NODE_BUSY none");
  await kitchen.node.close();
  expect(echo.open.size).toBe(0);
  expect(await catchErrorCode(() => openTestWorkspace(desk))).toBe("NODE_BUSY none");
});

test("in the same process, it is the original stream and ends with the host's nodes", async () => {
  const echo = echoWorkspace();
  const node = createNode({ id: "kitchen", commands: [], workspaces: [echo.workspace] });
  const nodes = createNodes({ transport: createLocalTransport([node]) });
  await nodes.approve("kitchen");
  const one = await nodes.openWorkspace({ target: nodes.resolveWorkspace({}) });
  one.stream.on("error", () => undefined);
  expect((await readEcho(one, Buffer.from("here"))).toString()).toBe("here");
  await nodes.close();
  expect(echo.open.size).toBe(0);
});
