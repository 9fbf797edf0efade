import { once } from "node:events";
import { connect, createServer, Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startProxy } from "../../../../src/view/network/proxy/start-proxy.ts";
import { eventually, tempFolder } from "../../../support.ts";
import { allowsPackages, openTestNetwork, startTestInternet, closed, exchangeBytes } from "../support.ts";

const TUNNEL = "CONNECT packages.example.com:443 HTTP/1.1\r\n\r\n";
const PAGE = "GET http://packages.example.com/ HTTP/1.1\r\n";

async function aTunnel(socket: string): Promise<Socket> {
  const client = connect(socket).on("error", () => {});
  client.write(TUNNEL);
  await once(client, "data");
  return client;
}

test("closes connections above the limit until one has ended", async () => {
  const { options } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages, limits: { connections: 3 } });
  const { socket } = network.runnerOptions(network.folder).bridges[0]!;
  const open = [await aTunnel(socket), await aTunnel(socket), await aTunnel(socket)];
  expect(await exchangeBytes(network, TUNNEL)).toBe("");
  open[0]!.destroy();
  expect(
    await eventually(async () =>
      (await exchangeBytes(network, `${PAGE}Connection: close\r\n\r\n`)).includes(" 200 "),
    ),
  ).toBe(true);
  for (const one of open) one.destroy();
});

test("counts many requests in one connection like many connections", async () => {
  const { options, connected } = await startTestInternet(() => {});
  const network = await openTestNetwork({ ...options, allows: allowsPackages, limits: { connections: 5 } });
  const client = connect(network.runnerOptions(network.folder).bridges[0]!.socket).on("error", () => {});
  client.write(`${PAGE}\r\n`.repeat(200));
  expect(await eventually(() => connected.length === 5)).toBe(true);
  // What was refused was refused by now: another connection is served after it.
  await exchangeBytes(network, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  expect(connected).toHaveLength(5);
  client.destroy();
});

test("does not wait for a slow head", async () => {
  const network = await openTestNetwork({ limits: { headMs: 300 } });
  const client = connect(network.runnerOptions(network.folder).bridges[0]!.socket).on("error", () => {});
  const drops = setInterval(() => client.write("X-A: b\r\n"), 20);
  client.write(PAGE);
  const received = await text(client).catch(() => "");
  clearInterval(drops);
  expect(received).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

test.each([
  ["a header", `${PAGE}X-Large: ${"x".repeat(40_000)}\r\n\r\n`],
  ["many headers", `${PAGE}${"X-Many: y\r\n".repeat(20_000)}\r\n`],
  ["a request line", `GET http://packages.example.com/${"x".repeat(40_000)} HTTP/1.1\r\n\r\n`],
])("refuses %s that is too large", async (_what, request) => {
  const { options, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  expect(await exchangeBytes(network, request)).toMatch(/^(HTTP\/1\.1 431 |$)/);
  expect(received).toEqual([]);
});

test("closes a tunnel without traffic", async () => {
  const { options } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages, limits: { idleMs: 200 } });
  const client = await aTunnel(network.runnerOptions(network.folder).bridges[0]!.socket);
  expect(await closed(client)).toBe(true);
});

test("gives up a host that does not answer", async () => {
  const network = await openTestNetwork({
    allows: allowsPackages,
    lookup: async () => [{ address: "198.51.100.7", family: 4 }],
    // One that is never connected.
    connect: () => new Socket(),
    limits: { connectMs: 200 },
  });
  expect(await exchangeBytes(network, TUNNEL)).toContain(
    "502 packages.example.com was not reached: it did not answer in time",
  );
});

test("stores a limited number of refusals, and counts the others", async () => {
  const network = await openTestNetwork();
  for (let n = 0; n < 25; n++) await exchangeBytes(network, `CONNECT n${n}.example.com:443 HTTP/1.1\r\n\r\n`);
  const { refusals, more } = network.takeRefusals();
  expect([refusals.length, more]).toEqual([20, 5]);
});

test("ends every connection and removes the folder on close", async () => {
  const { options } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const { socket } = network.runnerOptions(network.folder).bridges[0]!;
  const client = await aTunnel(socket);
  await Promise.all([closed(client), network.close()]);
  const [error] = (await once(connect(socket), "error")) as [NodeJS.ErrnoException];
  expect(error.code).toBe("ENOENT");
});

test("returns the reason if the socket cannot be created", async () => {
  const folder = tempFolder("n");
  const long = startProxy({ socket: join(folder, "x".repeat(120)), allows: () => false });
  await expect(long).rejects.toMatchObject({
    code: "NETWORK_UNAVAILABLE",
    message: expect.stringMatching(/at most 107 bytes/) as unknown,
  });
  const path = join(folder, "s");
  const other = createServer().listen(path);
  await once(other, "listening");
  const taken = startProxy({ socket: path, allows: () => false });
  await expect(taken).rejects.toMatchObject({
    code: "NETWORK_UNAVAILABLE",
    message: expect.stringMatching(/EADDRINUSE/) as unknown,
  });
  other.close();
});
