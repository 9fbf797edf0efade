import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createHostNetwork } from "../../src/network/host-network.ts";
import { ask, readBody, serve } from "./support.ts";

const HELLO = await serveOnce();

/** For tests that are refused: nobody may get here. */
async function serveOnce() {
  let pending = 0;
  return {
    async open() {
      const { port } = await serve((_request, response) => {
        pending++;
        response.end("secret");
      });
      return port;
    },
    get pending() {
      return pending;
    },
  };
}

test.each([
  ["a loopback", "127.0.0.1"],
  ["another range", "127.5.5.5"],
  ["a number", "2130706433"],
  ["hexadecimal", "0x7f000001"],
  ["octal", "0177.0.0.1"],
  ["short", "127.1"],
  ["no address at all, which is this machine", "0.0.0.0"],
  ["mapped", "[::ffff:127.0.0.1]"],
  ["mapped in hexadecimal", "[::ffff:7f00:1]"],
  ["compatible", "[::127.0.0.1]"],
  ["of version 6", "[::1]"],
  ["unspecified of version 6", "[::]"],
  ["through 6to4", "[2002:7f00:1::]"],
  ["through NAT64", "[64:ff9b::7f00:1]"],
  ["a name of the system", "localhost"],
  ["in capitals", "LOCALHOST"],
])("rejects this machine: %s", async (_what, host) => {
  const port = await HELLO.open();
  await expect(ask(`http://${host}:${port}/`)).rejects.toMatchObject({
    code: "ADDRESS_REFUSED",
    category: "policy",
    receipt: "none",
  });
  expect(HELLO.pending).toBe(0);
});

test.each([
  "10.0.0.5",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "100.100.100.200",
  "169.254.169.254",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[ff02::1]",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a00:1]",
  "[2002:a9fe:a9fe::]",
])("rejects private addresses: %s", async (host) => {
  await expect(ask(`http://${host}/`)).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
});

test("resolves a name once, and connects to the checked address", async () => {
  const port = await HELLO.open();
  const before = HELLO.pending;
  let lookups = 0;
  // The first answer is public and nobody's (TEST-NET-3), every further one this machine.
  const lookup = async () => [{ address: lookups++ === 0 ? "203.0.113.1" : "127.0.0.1" }];
  const controller = new AbortController();
  const pending = ask(`http://rebinds.example.com:${port}/`, { lookup }, { signal: controller.signal });
  // Whether that address answers depends on the machine: it is enough that it is not this one.
  setTimeout(() => controller.abort(), 300);
  await expect(pending).rejects.toMatchObject({ code: "FETCH_FAILED" });
  expect([lookups, HELLO.pending - before]).toEqual([1, 0]);
});

test("skips addresses of local networks", async () => {
  const port = await HELLO.open();
  const lookup = async () => [{ address: "127.0.0.1" }, { address: "::1" }, { address: "10.1.2.3" }];
  const refused = ask(`http://mixed.example.com:${port}/`, { lookup });
  await expect(refused).rejects.toMatchObject({
    code: "ADDRESS_REFUSED",
    message: expect.stringContaining(
      "mixed.example.com leads to 127.0.0.1, an address of this machine itself",
    ),
    fix: expect.stringContaining(`allowPrivate: ["mixed.example.com:${port}"]`),
  });
});

test("checks addresses with a zone, and connects to neighbours of allowed ranges", async () => {
  const port = await HELLO.open();
  const zoned = "FE80::1%eth0";
  const refused = ask(`http://zoned.example.com:${port}/`, { lookup: async () => [{ address: zoned }] });
  await expect(refused).rejects.toMatchObject({
    code: "ADDRESS_REFUSED",
    message: expect.stringContaining("leads to fe80::1%eth0, an address of a local network"),
  });
  const lookup = async () => [{ address: zoned }, { address: "127.0.0.1" }];
  const answer = await ask(`http://zoned.example.com:${port}/`, { allowPrivate: ["127.0.0.1"], lookup });
  expect(answer.status).toBe(200);
});

test("reports a name without an address, and an unknown name", async () => {
  await expect(ask("http://nowhere.example.com/", { lookup: async () => [] })).rejects.toMatchObject({
    code: "FETCH_FAILED",
    receipt: "none",
  });
  const lookup = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
  await expect(ask("http://nowhere.example.com/", { lookup })).rejects.toThrow(
    /could not be looked up \(ENOTFOUND\)/,
  );
  await expect(
    ask("http://nowhere.example.com/", { lookup: async () => [{ address: "no address" }] }),
  ).rejects.toThrow(/its name has no address/);
});

test("connects only to entries of the operator's allowlist", async () => {
  const { port } = await serve((_request, response) => response.end("inside"));
  const lookup = async () => [{ address: "127.0.0.1" }];
  const reaches = async (allowPrivate: string[], host = "dev.example.com") => {
    try {
      return (await readBody(await ask(`http://${host}:${port}/`, { lookup, allowPrivate }))).toString();
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  expect(await reaches([`dev.example.com:${port}`])).toBe("inside");
  expect(await reaches(["DEV.example.com"])).toBe("inside");
  expect(await reaches(["*.example.com"])).toBe("inside");
  expect(await reaches(["127.0.0.1"])).toBe("inside");
  expect(await reaches([`127.0.0.1:${port}`])).toBe("inside");
  expect(await reaches(["127.0.0.0/8"])).toBe("inside");
  expect(await reaches(["127.0.0.1"], "127.0.0.1")).toBe("inside");
  expect(await reaches(["127.0.0.1"], "2130706433")).toBe("inside");
  expect(await reaches([])).toBe("ADDRESS_REFUSED");
  expect(await reaches([`dev.example.com:${port + 1}`])).toBe("ADDRESS_REFUSED");
  expect(await reaches(["example.com"])).toBe("ADDRESS_REFUSED");
  expect(await reaches(["*.dev.example.com"])).toBe("ADDRESS_REFUSED");
  expect(await reaches(["10.0.0.0/8", "127.0.0.2", "::1"])).toBe("ADDRESS_REFUSED");
});

test.each([
  "",
  "*",
  "http://dev.example.com",
  "dev.example.com/path",
  "dev.example.com:0",
  "dev.example.com:70000",
  "user@dev.example.com",
  "10.0.0.0/33",
  "10.0.0/8x",
  "[::1",
  "[dev]:80",
  "dev.*.com",
  7,
])("rejects an invalid entry: %j", (entry) => {
  expect(() => createHostNetwork({ allowPrivate: [entry as string] })).toThrow(
    expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining("allowPrivate") }),
  );
});

test("closes an aborted connection, before and during the body", async () => {
  const closed: Promise<void>[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    closed.push(new Promise((resolve) => socket.once("close", () => resolve())));
    socket.on("error", () => {});
    socket.once("data", (head) => {
      if (head.toString().startsWith("GET /body"))
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const options = { allowPrivate: ["127.0.0.1"] };
  for (const path of ["head", "body"]) {
    const controller = new AbortController();
    const pending = ask(`http://127.0.0.1:${port}/${path}`, options, { signal: controller.signal });
    if (path === "body") {
      const parts = (await pending).body![Symbol.asyncIterator]();
      expect(Buffer.from((await parts.next()).value as Uint8Array).toString()).toBe("some");
      controller.abort();
      await expect(parts.next()).rejects.toThrow(/abort|closed|premature/i);
    } else {
      while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await expect(pending).rejects.toMatchObject({ code: "FETCH_FAILED" });
    }
    await closed.at(-1);
  }
  // Given up without an abort.
  const answer = await ask(`http://127.0.0.1:${port}/body`, options);
  await answer.body![Symbol.asyncIterator]().return?.();
  await closed.at(-1);
  server.close();
});
