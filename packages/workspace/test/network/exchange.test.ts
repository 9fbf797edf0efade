import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { ask, readBody, serve } from "./support.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const leftOut = !hasOpenssl && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
if (leftOut)
  process.stderr.write("LEFT OUT, because openssl, which makes a certificate, is not installed.\n");

const HERE = { allowPrivate: ["127.0.0.1", "::1", "localhost", "secure.example.com"] };

test("sends method, headers and body, and returns the response", async () => {
  const { port } = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]).writeHead(201, "Made");
      const { method, url, headers } = request;
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(parts).toString() }));
    });
  });
  const answer = await ask(`http://127.0.0.1:${port}/a%20b?q=1`, HERE, {
    method: "POST",
    headers: [
      ["x-own", "yes"],
      ["content-type", "text/plain"],
    ],
    body: Buffer.from("content"),
  });
  expect([answer.status, answer.statusText]).toEqual([201, "Made"]);
  expect(answer.headers.filter(([name]) => name === "Set-Cookie")).toEqual([
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
  ]);
  expect(JSON.parse((await readBody(answer)).toString())).toEqual({
    method: "POST",
    url: "/a%20b?q=1",
    headers: {
      host: `127.0.0.1:${port}`,
      "x-own": "yes",
      "content-type": "text/plain",
      accept: "*/*",
      "user-agent": "haft",
      "accept-encoding": "gzip, br",
      "content-length": "7",
      connection: "close",
    },
    body: "content",
  });
});

test.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["gzip, br", (text: string) => brotliCompressSync(gzipSync(text))],
])("decompresses a body with the coding %s", async (coding, pack) => {
  const { port } = await serve((_request, response) => {
    response.setHeader("Content-Encoding", coding).end(pack("text ".repeat(1000)));
  });
  const answer = await ask(`http://127.0.0.1:${port}/`, HERE);
  expect((await readBody(answer)).toString()).toBe("text ".repeat(1000));
  expect(answer.headers.map(([name]) => name)).not.toContain("Content-Encoding");
});

test("keeps an unknown coding, and reports a false coding as an error of the body", async () => {
  const { port } = await serve((request, response) => {
    response.setHeader("Content-Encoding", request.url === "/unknown" ? "zip" : "gzip").end("plain");
  });
  const unknown = await ask(`http://127.0.0.1:${port}/unknown`, HERE);
  expect((await readBody(unknown)).toString()).toBe("plain");
  await expect(ask(`http://127.0.0.1:${port}/lies`, HERE).then(readBody)).rejects.toThrow(/header/);
});

test("decompresses a bomb only as far as it is read", async () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
  const { port } = await serve((_request, response) => {
    response.setHeader("Content-Encoding", "gzip").end(bomb);
  });
  const parts = (await ask(`http://127.0.0.1:${port}/`, HERE)).body![Symbol.asyncIterator]();
  const before = process.memoryUsage().arrayBuffers;
  const { value } = await parts.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((value as Uint8Array).length).toBeLessThanOrEqual(64 * 1024);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  await parts.return?.();
});

test.each([
  ["ends in its head", "HTTP/1.1 200 OK\r\nContent-", /did not answer/],
  ["is not HTTP", "SSH-2.0-server\r\n", /did not answer/],
  [
    "has a head without end",
    `HTTP/1.1 200 OK\r\n${`X-A: ${"a".repeat(1000)}\r\n`.repeat(100)}`,
    /did not answer/,
  ],
  [
    "has two lengths",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    /did not answer/,
  ],
  [
    "switches the protocol",
    "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    /did not answer/,
  ],
  ["is empty", "", /did not answer/],
])("rejects a response that %s", async (_what, text, message) => {
  const port = await raw(text);
  await expect(ask(`http://127.0.0.1:${port}/`, HERE)).rejects.toMatchObject({
    code: "FETCH_FAILED",
    message: expect.stringMatching(message),
  });
});

test("reports a truncated body as an error in any length format", async () => {
  for (const text of [
    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nless",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nless\r\n",
  ]) {
    const answer = await ask(`http://127.0.0.1:${await raw(text)}/`, HERE);
    await expect(readBody(answer)).rejects.toThrow(/abort|closed|premature/i);
  }
});

test.each([
  ["breaks off", "", /ECONNRESET/],
  ["breaks off in compressed data", "Content-Encoding: gzip\r\n", /ECONNRESET|abort/],
])("reports an error for a body that ends with its connection and %s", async (_what, header, message) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n`);
      socket.write(header === "" ? "begun" : gzipSync("begun").subarray(0, 12));
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const answer = await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, HERE);
  await expect(readBody(answer)).rejects.toThrow(message);
  const whole = await ask(`http://127.0.0.1:${await raw("HTTP/1.1 200 OK\r\n\r\nall")}/`, HERE);
  expect((await readBody(whole)).toString()).toBe("all");
});

test("returns no body for a status without a body, whatever its headers say", async () => {
  const port = await raw("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n");
  const answer = await ask(`http://127.0.0.1:${port}/`, HERE);
  expect([answer.status, answer.body]).toEqual([304, undefined]);
});

test("reports a refused connection", async () => {
  const { port, server } = await serve(() => {});
  await new Promise((resolve) => server.close(resolve));
  await expect(ask(`http://127.0.0.1:${port}/`, HERE)).rejects.toMatchObject({
    code: "FETCH_FAILED",
    receipt: "none",
    message: expect.stringContaining("ECONNREFUSED"),
  });
});

test("connects to the first address that answers", async () => {
  const { port } = await serve((_request, response) => response.end("second"));
  const lookup = async () => [{ address: "::1" }, { address: "127.0.0.1" }];
  const answer = await ask(`http://localhost:${port}/`, { ...HERE, lookup });
  expect((await readBody(answer)).toString()).toBe("second");
});

test.skipIf(leftOut)("checks the certificate of the requested host", async () => {
  const { key, cert } = certificateOf("secure.example.com");
  const server = createSecureServer({ key, cert }, (request, response) =>
    response.end(`Host: ${request.headers.host}`),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const lookup = async () => [{ address: "127.0.0.1" }];
  const url = (host: string) => `https://${host}:${port}/`;
  const refused = (why: RegExp) =>
    expect.objectContaining({ code: "FETCH_FAILED", message: expect.stringMatching(why) });
  await expect(ask(url("secure.example.com"), { ...HERE, lookup })).rejects.toEqual(
    refused(new RegExp(`at port ${port}: TLS failed: .*self-signed`)),
  );
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const answer = await ask(url("secure.example.com"), { ...HERE, lookup });
  expect((await readBody(answer)).toString()).toBe(`Host: secure.example.com:${port}`);
  await expect(ask(url("127.0.0.1"), HERE)).rejects.toEqual(
    refused(/TLS failed: .*does not match|TLS failed: .*IP/),
  );
  await expect(ask(url("localhost"), { ...HERE, lookup })).rejects.toEqual(refused(/TLS failed/));
  // What speaks no TLS, and what ends in the middle of it.
  await expect(ask(`https://127.0.0.1:${await raw("no TLS here\r\n")}/`, HERE)).rejects.toEqual(
    refused(/TLS failed/),
  );
});

/** A server that says this once somebody asked, and ends. */
async function raw(text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function certificateOf(name: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "haft-cert-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")] as const;
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
  const files = ["-addext", `subjectAltName=DNS:${name}`, "-keyout", key, "-out", cert];
  execFileSync("openssl", [...words.split(" "), ...files], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
