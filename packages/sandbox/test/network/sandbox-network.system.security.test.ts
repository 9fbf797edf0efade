import type { NetworkAnswer } from "@haft/core/kernel";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { openSandbox } from "../../src/index.ts";
import { listedNetwork } from "../../src/network/listed-network.ts";
import { createPipeBackend, pipeSpec } from "../pipe-backend.ts";
import { eventually, tempFolder } from "../support.ts";

/** Namespaces that have no network but their own loopback. */
const APART = [
  "unshare",
  "--user",
  "--map-root-user",
  "--net",
  "sh",
  "-c",
  'ip link set lo up && exec "$0" "$@"',
];
const canBeApart = spawnSync(APART[0]!, [...APART.slice(1), "true"]).status === 0;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl && process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error("There is no openssl.");
if (!canBeApart && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error("There are no network namespaces.");

async function open(more: Partial<SandboxSpec>, allowPrivate?: string[], isApart = false) {
  const root = tempFolder();
  const backend = createPipeBackend(isApart ? [...APART, process.execPath] : undefined);
  const spec = { ...pipeSpec([{ name: "", hostPath: root, path: root, access: "rw" }]), ...more };
  const sandbox = await openSandbox(backend, spec, allowPrivate === undefined ? {} : { allowPrivate });
  onTestFinished(() => sandbox.close());
  const ask = (url: string, signal = new AbortController().signal) =>
    sandbox.network.request({ url, method: "GET", headers: [], signal });
  return { sandbox, backend, ask };
}

async function textOf({ body }: NetworkAnswer): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body ?? []) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** A server of the host, which nobody inside may reach. */
async function secretOfHost() {
  let received = 0;
  const server = createServer((_request, response) => {
    received++;
    response.end("secret of the host");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received: () => received };
}

test("reaches no host without a network, not even this machine", async () => {
  const { port, received } = await secretOfHost();
  const { ask } = await open({ network: "none" }, ["127.0.0.1", "localhost"]);
  for (const host of ["127.0.0.1", "localhost", "example.com"])
    await expect(ask(`http://${host}:${port}/`)).rejects.toMatchObject({
      code: "NO_NETWORK",
      receipt: "none",
    });
  expect(received()).toBe(0);
});

test("reaches only listed hosts, and never this machine, even if it is listed", async () => {
  const { port, received } = await secretOfHost();
  const network = { allow: ["good.example.com", "*.wild.example.com", "127.0.0.1", "localhost", "10.1.2.3"] };
  const { ask } = await open({ network }, ["127.0.0.1", "localhost"]);
  const refusals: [string, RegExp][] = [
    ["http://bad.example.com/", /bad\.example\.com is not on the list/],
    ["http://wild.example.com/", /is not on the list/],
    ["http://good.example.com:8080/", /port 8080 is not/],
    [`http://127.0.0.1:${port}/`, /is the machine that/],
    [`http://localhost:${port}/`, /is the machine that/],
    ["http://192.168.1.1/", /is not on the list/],
  ];
  for (const [url, message] of refusals)
    await expect(ask(url)).rejects.toMatchObject({
      code: "NO_NETWORK",
      message: expect.stringMatching(message),
    });
  expect(received()).toBe(0);
});

test("refuses a listed name that resolves to a local address", async () => {
  const { port, received } = await secretOfHost();
  const leadsTo = (address: string, list = ["good.example.com"]) =>
    listedNetwork({
      list,
      allows: (host) => list.includes(host),
      lookup: async () => [{ address }],
    }).request({
      url: `http://good.example.com/`,
      method: "GET",
      headers: [],
      signal: new AbortController().signal,
    });
  for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1"])
    await expect(leadsTo(address)).rejects.toMatchObject({ code: "NO_NETWORK" });
  await expect(leadsTo("127.0.0.1", ["good.example.com", "127.0.0.1"])).rejects.toMatchObject({
    code: "NO_NETWORK",
  });
  await expect(leadsTo("no address")).rejects.toMatchObject({ code: "FETCH_FAILED" });
  expect([received(), port > 0]).toEqual([0, true]);
});

test("applies an entry with a port to that port only", async () => {
  const ask = (url: string) =>
    listedNetwork({ list: ["good.example.com:8080"], allows: () => false, lookup: async () => [] }).request({
      url,
      method: "GET",
      headers: [],
      signal: new AbortController().signal,
    });
  // It is on the list, and has no address.
  await expect(ask("http://good.example.com:8080/")).rejects.toMatchObject({ code: "FETCH_FAILED" });
  await expect(ask("http://good.example.com/")).rejects.toMatchObject({ code: "NO_NETWORK" });
});

test("opens no connection from the host if only a shell serves the sandbox", async () => {
  const { port, received } = await secretOfHost();
  const { sandbox } = await open({});
  const { sandboxNetwork } = await import("../../src/network/sandbox-network.ts");
  const network = sandboxNetwork({ network: "full" }, async () => ({}) as never, ["127.0.0.1"]);
  const request = {
    url: `http://127.0.0.1:${port}/`,
    method: "GET",
    headers: [],
    signal: new AbortController().signal,
  };
  await expect(network.request(request)).rejects.toMatchObject({ code: "NO_NETWORK", fix: /Node 20/ });
  expect([received(), sandbox.describe().target]).toEqual([0, "sandbox"]);
});

describe.skipIf(!canBeApart)("a separate network namespace", () => {
  const SERVER = `require("node:http").createServer((q, s) => {
    if (q.url === "/slow") { s.write("begun"); q.socket.on("close", () => require("node:fs").writeFileSync("closed", "")); }
    else if (q.url === "/packed") s.setHeader("content-encoding", "gzip").end(Buffer.from("${gzipSync("x".repeat(3_000_000)).toString("base64")}", "base64"));
    else if (q.url === "/echo") q.pipe(s);
    else s.end("inside " + q.headers.host);
  }).listen(PORT, "127.0.0.1", () => require("node:fs").writeFileSync("ready", ""))`;

  test("connects inside, to its own loopback", async () => {
    const { port, received } = await secretOfHost();
    const { sandbox, ask } = await open({}, ["127.0.0.1", "localhost"], true);
    // Nothing listens inside at the port where something listens on the host.
    await expect(ask(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "FETCH_FAILED",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    const argv = [process.execPath, "-e", SERVER.replace("PORT", String(port))];
    await sandbox.processes.start("server", { argv });
    expect(await eventually(async () => (await sandbox.fs.stat("ready")) !== undefined)).toBe(true);
    expect(await textOf(await ask(`http://localhost:${port}/`))).toBe(`inside localhost:${port}`);
    expect((await textOf(await ask(`http://127.0.0.1:${port}/packed`))).length).toBe(3_000_000);
    const body = Buffer.alloc(5_000_000, "y");
    const echoed = await sandbox.network.request({
      url: `http://127.0.0.1:${port}/echo`,
      method: "POST",
      headers: [],
      body,
      signal: new AbortController().signal,
    });
    expect(await textOf(echoed)).toBe(body.toString());
    const controller = new AbortController();
    const slow = await ask(`http://127.0.0.1:${port}/slow`, controller.signal);
    const parts = slow.body![Symbol.asyncIterator]();
    await parts.next();
    controller.abort();
    await expect(parts.next()).rejects.toThrow(/abort|closed|premature/i);
    expect(await eventually(async () => (await sandbox.fs.stat("closed")) !== undefined)).toBe(true);
    // There is no way out of it.
    await expect(ask("http://203.0.113.1/")).rejects.toMatchObject({ code: "FETCH_FAILED" });
    expect(received()).toBe(0);
  });

  test.skipIf(!hasOpenssl)("checks TLS certificates outside", async () => {
    const { sandbox, ask } = await open({}, ["127.0.0.1"], true);
    const folder = tempFolder("cert");
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=inside -keyout ${folder}/key -out ${folder}/cert`;
    spawnSync("openssl", [...words.split(" "), "-addext", "subjectAltName=IP:127.0.0.1"]);
    const server = `const { readFileSync, writeFileSync } = require("node:fs");
      const [key, cert] = ["key", "cert"].map((name) => readFileSync("${folder}/" + name));
      require("node:https").createServer({ key, cert }, (q, s) => s.end("secret ".repeat(100_000)))
        .listen(8443, "127.0.0.1", () => writeFileSync("ready", ""))`;
    await sandbox.processes.start("server", { argv: [process.execPath, "-e", server] });
    expect(await eventually(async () => (await sandbox.fs.stat("ready")) !== undefined)).toBe(true);
    await expect(ask("https://127.0.0.1:8443/")).rejects.toMatchObject({
      code: "FETCH_FAILED",
      message: expect.stringContaining("TLS failed"),
    });
    const trusted = getCACertificates("default");
    setDefaultCACertificates([...trusted, readFileSync(join(folder, "cert"), "utf8")]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    expect((await textOf(await ask("https://127.0.0.1:8443/"))).length).toBe(700_000);
  });

  test("refuses local addresses that the operator did not allow", async () => {
    const { ask } = await open({}, undefined, true);
    for (const host of ["127.0.0.1", "localhost", "[::1]", "10.0.0.1"])
      await expect(ask(`http://${host}/`)).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  });

  test("fails a running request if the sandbox is lost, and makes the next in another sandbox", async () => {
    const { sandbox, backend, ask } = await open({}, ["127.0.0.1"], true);
    const argv = [process.execPath, "-e", SERVER.replace("PORT", "8080")];
    await sandbox.processes.start("server", { argv });
    expect(await eventually(async () => (await sandbox.fs.stat("ready")) !== undefined)).toBe(true);
    const slow = await ask("http://127.0.0.1:8080/slow");
    const parts = slow.body![Symbol.asyncIterator]();
    await parts.next();
    process.kill(backend.opened[0]!.pid, "SIGKILL");
    await expect(parts.next()).rejects.toThrow(/abort|closed|premature/i);
    await expect(ask("http://127.0.0.1:8080/")).rejects.toMatchObject({ code: "FETCH_FAILED" });
    expect(backend.opened.length).toBe(2);
  });
});
