import { expect, test } from "vitest";
import { allowsPackages, openTestNetwork, startTestInternet, exchangeBytes } from "../support.ts";

/** Parts of a request, a line each, and what follows them. */
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");
const CLOSE = "Connection: close";

test.each([
  "http://packages.example.com@other.example.com/",
  "http://packages.example.com:80@other.example.com/",
  "http://user:secret@packages.example.com/",
  "http://packages.example.com#@other.example.com/",
  "http://other.example.com\\@packages.example.com/",
  "http:/packages.example.com/",
  "http:packages.example.com/",
  "http:///packages.example.com/",
  "http://pack%61ges.example.com/",
  "http://packages.example.com%00.other.example.com/",
  "http://packages.example.com:080808/",
  "http://packages.example.com:0/",
  "http://packages.example.com:65536/",
  "http://packages.example.com:+80/",
  "http://packages..example.com/",
  "http://.packages.example.com/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://127.1/",
  "http://0177.0.0.1/",
  "http://1.2.3.4.5/",
  "http://256.1.1.1/",
  "http://[::1%25lo]/",
  "http://[::1%lo]/",
  "http://[127.0.0.1]/",
  "http://[packages.example.com]/",
  "https://packages.example.com/",
  "ftp://packages.example.com/",
  "file:///x",
  "unix:/run/x.sock:/",
  "//packages.example.com/",
  "/",
  "*",
  "packages.example.com:80",
  `http://${"a".repeat(64)}.example.com/`,
  `http://${"a.".repeat(130)}com/`,
])("does not pass on %s as a request", async (url) => {
  const { options, received, lookedUp } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  for (const method of ["GET", "OPTIONS"]) {
    expect(
      await exchangeBytes(
        network,
        lines(`${method} ${url} HTTP/1.1`, "Host: packages.example.com", CLOSE, ""),
      ),
    ).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect([...received, ...lookedUp]).toEqual([]);
});

test.each([
  "packages.example.com",
  "packages.example.com:",
  "packages.example.com:https",
  "packages.example.com:443/",
  "packages.example.com@other.example.com:443",
  "user@packages.example.com:443",
  "http://packages.example.com:443",
  "/run/x.sock",
  "/run/x.sock:443",
  "unix:/run/x.sock:443",
  "./x:443",
  "../x:443",
  "@abstract:443",
  "2130706433:443",
  "0x7f000001:443",
  "127.1:443",
  "::1:443",
  "[::1]",
  "[::1%lo]:443",
  ":443",
  "packages.example.com:443:443",
  "packages.example.com:00443000",
])("opens no tunnel for CONNECT %s", async (authority) => {
  const { options, connected, lookedUp } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  expect(
    await exchangeBytes(
      network,
      lines(`CONNECT ${authority} HTTP/1.1`, "Host: packages.example.com:443", ""),
    ),
  ).toMatch(/^HTTP\/1\.1 400 /);
  expect([...connected, ...lookedUp]).toEqual([]);
});

test("uses the host of the request line, and removes headers for the proxy", async () => {
  const { options, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const head = [
    "GET http://packages.example.com?q HTTP/1.1",
    "Host: other.example.com",
    "Host: third.example.com",
    "Proxy-Authorization: Basic c2VjcmV0",
    "Proxy-Connection: keep-alive",
    "Connection: close, X-Hop",
    "X-Hop: gone",
    "Upgrade: websocket",
    "TE: trailers",
    "Set-Cookie: a",
    "Set-Cookie: b",
    "X-Kept: yes",
  ];
  expect(await exchangeBytes(network, lines(...head, ""))).toContain("hello from packages.example.com");
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({ method: "GET", url: "/?q" });
  expect(received[0]!.headers).toEqual({
    host: "packages.example.com",
    "set-cookie": ["a", "b"],
    "x-kept": "yes",
    connection: "close",
  });
});

const HIDDEN = lines("GET /hidden HTTP/1.1", "Host: other.example.com", "");
test.each([
  ["both lengths", ["Content-Length: 4", "Transfer-Encoding: chunked"]],
  ["two lengths", ["Content-Length: 0", "Content-Length: 50"]],
  ["a length with a sign", ["Content-Length: +50"]],
  ["a list of lengths", ["Content-Length: 0, 50"]],
  ["an encoding nobody knows", ["Transfer-Encoding: xchunked"]],
  ["an encoding behind chunked", ["Transfer-Encoding: chunked, identity"]],
  ["a space before the colon", ["Transfer-Encoding : chunked"]],
  ["a folded line", ["X-Other: 1", " Transfer-Encoding: chunked"]],
  ["a bare line feed", ["X-Other: 1\nTransfer-Encoding: chunked"]],
  ["a bare carriage return", ["X-Other: 1\rTransfer-Encoding: chunked"]],
  ["a NUL", ["X-Other: 1\0"]],
])("refuses a request with %s or passes on one request, without a hidden request", async (_what, headers) => {
  const { options, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  await exchangeBytes(
    network,
    lines("POST http://packages.example.com/ HTTP/1.1", CLOSE, ...headers, "", "0", "") + HIDDEN,
  );
  expect(received.filter(({ url }) => url === "/hidden")).toEqual([]);
  expect(received.length).toBeLessThanOrEqual(1);
});

test.each(["GET", "DELETE", "POST", "PROPFIND"])("keeps the body of a chunked %s", async (method) => {
  const { options, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const head = [
    `${method} http://packages.example.com/ HTTP/1.1`,
    "Connection: close",
    "Transfer-Encoding: chunked",
  ];
  const size = HIDDEN.length.toString(16);
  expect(await exchangeBytes(network, `${lines(...head, "", size)}${HIDDEN}\r\n0\r\n\r\n`)).toContain(
    " 200 ",
  );
  expect(received.map(({ url, body }) => [url, body])).toEqual([["/", HIDDEN]]);
});

test("keeps length headers even if the Connection header names them", async () => {
  const { options, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const head = ["POST http://packages.example.com/ HTTP/1.1", "Connection: close, Content-Length, Host"];
  expect(
    await exchangeBytes(network, lines(...head, `Content-Length: ${HIDDEN.length}`, "") + HIDDEN),
  ).toContain(" 200 ");
  expect(received.map(({ url, body }) => [url, body])).toEqual([["/", HIDDEN]]);
});

test("checks each request of a connection separately", async () => {
  const { options, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const get = (host: string, ...more: string[]) =>
    lines(`GET http://${host}/ HTTP/1.1`, `Host: packages.example.com`, ...more, "");
  const answer = await exchangeBytes(
    network,
    get("packages.example.com") + get("other.example.com") + get("packages.example.com", CLOSE),
  );
  expect(answer.match(/HTTP\/1\.1 \d+/g)!.slice(0, 2)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
  expect(
    received.map(({ headers }) => headers.host).filter((host) => host !== "packages.example.com"),
  ).toEqual([]);
});

test("reports an invalid answer of a host, and ends the connection", async () => {
  const { options, server } = await startTestInternet();
  server.removeAllListeners("request");
  server.removeAllListeners("connection");
  server.on("connection", (socket) =>
    socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\nX: \u0001\r\n\r\nx"),
  );
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  expect(await exchangeBytes(network, lines("GET http://packages.example.com/ HTTP/1.1", CLOSE, ""))).toMatch(
    /^HTTP\/1\.1 502 packages/,
  );
});
