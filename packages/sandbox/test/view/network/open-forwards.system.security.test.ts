import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openForwards } from "../../../src/view/network/open-forwards.ts";
import { testInSandbox } from "../../bubblewrap/support.ts";
import { tempFolder } from "../../support.ts";
import { openTestNetwork, closed, startInView } from "./support.ts";

const NODE = JSON.stringify(process.execPath);
const SERVER = (host: string, port: number, answer: string) =>
  `${NODE} -e 'require("http").createServer((q, r) => r.end("${answer} " + q.url)).listen(${port}, "${host}", () => console.log("ready"))'`;

testInSandbox("forwards the host's loopback to a port on either loopback inside", async () => {
  for (const host of ["127.0.0.1", "::1"]) {
    const network = await openTestNetwork();
    const view = startInView(network, SERVER(host, 5173, "inside"));
    expect(await view.said("ready")).toBe(true);
    const forward = await network.openForward({ port: 5173 });
    const response = await fetch(`http://127.0.0.1:${forward.port}/page`);
    expect(await response.text()).toBe("inside /page");
    const open = connect(forward.port, "127.0.0.1").on("error", () => {});
    open.write("GET / HTTP/1.1\r\nHost: inside\r\n\r\n");
    await once(open, "data");
    forward.close();
    expect(await closed(open)).toBe(true);
    await expect(fetch(`http://127.0.0.1:${forward.port}/`)).rejects.toThrow("fetch failed");
    view.child.kill("SIGKILL");
  }
});

testInSandbox("leads each forward to the port of its session, and ends with it", async () => {
  const [one, other] = [await openTestNetwork(), await openTestNetwork()];
  const views = [
    startInView(one, `${SERVER("127.0.0.1", 5173, "one")} & ${SERVER("127.0.0.1", 5174, "two")}`),
    startInView(other, SERVER("127.0.0.1", 5173, "other")),
  ];
  expect(await views[0]!.said("ready\nready")).toBe(true);
  expect(await views[1]!.said("ready")).toBe(true);
  const forwards = [
    await one.openForward({ port: 5173 }),
    await one.openForward({ port: 5174 }),
    await other.openForward({ port: 5173 }),
  ];
  const answers = await Promise.all(
    forwards.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/`)).text()),
  );
  expect(answers).toEqual(["one /", "two /", "other /"]);
  await one.close();
  await expect(fetch(`http://127.0.0.1:${forwards[0]!.port}/`)).rejects.toThrow("fetch failed");
  expect(await (await fetch(`http://127.0.0.1:${forwards[2]!.port}/`)).text()).toBe("other /");
});

testInSandbox("closes the connection if no server listens inside", async () => {
  const network = await openTestNetwork();
  const view = startInView(network, "echo ready; sleep 1000");
  expect(await view.said("ready")).toBe(true);
  const forward = await network.openForward({ port: 5173 });
  const client = connect(forward.port, "127.0.0.1").on("error", () => {});
  expect(await text(client).catch(() => "")).toBe("");
});

testInSandbox("gives commands at the socket no data and no connection", async () => {
  const network = await openTestNetwork();
  const socket = join(network.folder, "forwards.sock");
  const view = startInView(
    network,
    `${NODE} -e 'for (let n = 0; n < 20; n++) { const s = require("net").connect("${socket}"); s.write("waiting\\n"); s.on("data", (d) => console.log("TOLD " + d)).on("error", () => {}) }' &
     ${SERVER("127.0.0.1", 5173, "inside")}`,
  );
  expect(await view.said("ready")).toBe(true);
  const forward = await network.openForward({ port: 5173 });
  for (let n = 0; n < 5; n++) {
    expect(await (await fetch(`http://127.0.0.1:${forward.port}/`)).text()).toBe("inside /");
  }
  expect(view.output()).not.toContain("TOLD");
});

test("ignores connections without a key", async () => {
  const network = await openTestNetwork();
  const path = join(network.folder, "forwards.sock");
  const runner = connect(path);
  runner.write("waiting\n");
  for (const line of ["0123456789abcdef\n", "waiting\n", `${"x".repeat(1000)}\n`, "x".repeat(100_000)]) {
    const stranger = connect(path).on("error", () => {});
    stranger.write(line);
    expect(await closed(stranger)).toBe(true);
  }
  runner.destroy();
});

test("uses the next runner after the runner of the last view ended", async () => {
  const network = await openTestNetwork();
  const path = join(network.folder, "forwards.sock");
  const last = connect(path);
  last.write("waiting\n");
  await network.openForward({ port: 5173 });
  last.destroy();
  const told = Promise.withResolvers<string>();
  // As a runner does: the host may not have seen yet that the last one ended.
  const wait = (): void => {
    const next = connect(path).on("error", () => {});
    next.write("waiting\n");
    next.once("data", (line) => told.resolve(line.toString())).once("close", () => setImmediate(wait));
  };
  wait();
  const forward = await network.openForward({ port: 5173 });
  let open = true;
  const ask = (): void => {
    const client = connect(forward.port, "127.0.0.1").on("error", () => {});
    client.resume().once("close", () => open && setImmediate(ask));
  };
  ask();
  expect(JSON.parse(await told.promise)).toMatchObject({ port: 5173 });
  open = false;
});

test.each([0, -1, 1.5, 65_536, Number.NaN])("rejects the port %j", async (port) => {
  const network = await openTestNetwork();
  await expect(network.openForward({ port })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
});

test("waits for a starting runner, and returns an error without a runner", async () => {
  const path = join(tempFolder(), "forwards.sock");
  const forwards = await openForwards(path, 50);
  onTestFinished(forwards.close);
  await expect(forwards.open(5173)).rejects.toMatchObject({ code: "NETWORK_UNAVAILABLE" });
  const network = await openTestNetwork();
  const opening = network.openForward({ port: 5173 });
  const runner = connect(join(network.folder, "forwards.sock"));
  runner.write("waiting\n");
  expect((await opening).port).toBeGreaterThan(0);
  runner.destroy();
});
