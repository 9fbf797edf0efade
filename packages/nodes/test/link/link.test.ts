import { Type } from "@haft/plugin-sdk";
import { expect, test } from "vitest";
import { defineNodeCommand } from "../../src/index.ts";
import { camera } from "../support/camera.ts";
import { catchErrorCode } from "../support/catch-error-code.ts";
import { createBroker } from "../support/memory-bus.ts";
import { createTestHost, approveTestNode, serveTestNode, IMPATIENT } from "../support/test-nodes.ts";

test("calls a command and returns its answer", async () => {
  const server = createBroker();
  const { commands, snapped } = camera();
  const kitchen = await serveTestNode(server.connect(), commands);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const target = desk.nodes.resolve({ command: "camera.snap" });
  expect(await desk.nodes.invoke({ target, params: { room: "hall" } })).toMatchObject({
    content: [{ text: "picture of hall" }, { type: "image" }],
    receipt: "none",
  });
  expect(snapped).toEqual(["hall"]);
  expect(await catchErrorCode(() => desk.nodes.invoke({ target, params: { room: 7 } }))).toBe(
    "INVALID_ARGUMENTS none",
  );
});

test("fetches a long answer in pieces", async () => {
  const server = createBroker();
  const text = Array.from({ length: 250_000 }, (_, at) => `${at} `).join("");
  const long = defineNodeCommand({
    name: "log.read",
    description: "All of it.",
    parameters: Type.Object({}),
    effects: ["read"],
    resultBytes: 4 * 1024 * 1024,
    run: () => ({ content: [{ type: "text", text }], details: {} }),
  });
  const kitchen = await serveTestNode(server.connect(), [long]);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const target = desk.nodes.resolve({ command: "log.read" });
  const { content } = await desk.nodes.invoke({ target, params: {} });
  expect(content).toEqual([{ type: "text", text }]);
  expect(Math.max(...server.messages.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(512 * 1024);
});

test("does not send parameters above the message limit", async () => {
  const server = createBroker();
  const { commands, snapped } = camera();
  const kitchen = await serveTestNode(server.connect(), commands);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const target = desk.nodes.resolve({ command: "camera.snap" });
  const params = { room: "x".repeat(600_000) };
  expect(await catchErrorCode(() => desk.nodes.invoke({ target, params }))).toBe("ARGUMENTS_TOO_LARGE none");
  expect(snapped).toEqual([]);
});

test("sends no call to a missing node", async () => {
  const server = createBroker();
  const { commands } = camera();
  const kitchen = await serveTestNode(server.connect(), commands);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const other = createTestHost(server.connect());
  for (const id of desk.pairings.ids()) other.pairings.write(id, desk.pairings.read(id)!);
  const target = other.nodes.resolve({ command: "camera.snap" });
  expect(await catchErrorCode(() => other.nodes.invoke({ target, params: { room: "hall" } }))).toBe(
    "NODE_NOT_PAIRED none",
  );
  await kitchen.served.close();
  expect(await catchErrorCode(() => other.nodes.invoke({ target, params: { room: "hall" } }))).toBe(
    "NODE_UNREACHABLE none",
  );
  expect(await other.nodes.list()).toMatchObject([{ state: "approved", present: false }]);
});

test("cancelling a call cancels it on the node", async () => {
  const server = createBroker();
  const { commands, held } = camera();
  const kitchen = await serveTestNode(server.connect(), commands);
  const desk = createTestHost(server.connect());
  await approveTestNode(desk, kitchen);
  const controller = new AbortController();
  const target = desk.nodes.resolve({ command: "light.hold" });
  const call = catchErrorCode(() => desk.nodes.invoke({ target, params: {}, signal: controller.signal }));
  await held;
  controller.abort();
  expect(await call).toBe("ABORTED unknown");
});

test("continues to wait after a report of a missing subscriber and a lost connection", async () => {
  const server = createBroker();
  const { commands } = camera();
  const kitchen = await serveTestNode(server.connect(), commands);
  const bus = server.connect();
  const desk = createTestHost(bus, { times: IMPATIENT });
  await approveTestNode(desk, kitchen);
  const target = desk.nodes.resolve({ command: "light.hold" });
  await kitchen.served.close();
  let checks = 0;
  const ignore = () => {};
  server.intercept = (message) => {
    Object.defineProperty(bus, "connected", {
      get() {
        checks += 1;
        // A loop that pauses nowhere would let nothing else happen, this test included.
        if (checks > 1_000) throw new Error("the host asks over and over");
        return false;
      },
      set: ignore,
      configurable: true,
    });
    return [message];
  };
  expect(await catchErrorCode(() => desk.nodes.invoke({ target, params: {}, timeoutMs: 400 }))).toBe(
    "NODE_OUTCOME_UNKNOWN unknown",
  );
  expect(checks).toBeLessThan(20);
});
