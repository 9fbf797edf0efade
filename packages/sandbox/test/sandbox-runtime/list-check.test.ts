import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { listCheck } from "../../src/sandbox-runtime/list-check.ts";

const SOCAT = "/usr/bin/socat";

async function aServer(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => serve(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function nothing(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each([
  ["socat", existsSync(SOCAT) ? SOCAT : undefined],
  ["Node", undefined],
])("the check of a list, by %s", (name, socat) => {
  const runCheck = async (port: number, beyond?: number): Promise<string> => {
    const argv = listCheck({
      proxy: `http://some%40one:s3cret@127.0.0.1:${port}`,
      node: process.execPath,
      socat,
      blockedTarget: `127.0.0.1:${beyond ?? (await nothing())}`,
    });
    return (await promisify(execFile)(argv[0]!, argv.slice(1))).stdout.trim();
  };
  const answers = (line: string) => (socket: Socket) =>
    void socket.once("data", () => socket.end(`${line}\r\nConnection: close\r\n\r\nno`));

  test.skipIf(name === "socat" && socat === undefined)("confirms the list or names the failure", async () => {
    let request = "";
    const port = await aServer((socket) => {
      socket.on("data", (bytes: Buffer) => (request += bytes.toString()));
      answers("HTTP/1.1 403 Forbidden")(socket);
    });
    expect(await runCheck(port)).toBe("held");
    expect(request).toMatch(/^GET http:\/\/not-on-the-list\.invalid\/ HTTP\/1\.1\r\n/);
    expect(request).toContain(`Basic ${Buffer.from("some@one:s3cret").toString("base64")}\r\n`);
    expect(await runCheck(await aServer(answers("HTTP/1.1 200 OK")))).toBe(
      "an unlisted host was answered with HTTP/1.1 200 OK",
    );
    expect(await runCheck(await aServer((socket) => void socket.once("data", () => socket.end())))).toContain(
      "its proxy does not answer: it closed the connection",
    );
    expect(await runCheck(await nothing())).toMatch(/^its proxy does not answer: .*(?:refused|REFUSED)/);
  });

  test.skipIf(name === "socat" && socat === undefined)(
    "waits for a late answer, and finds a way around the proxy",
    async () => {
      const late = (socket: Socket) => void setTimeout(() => socket.end("HTTP/1.1 403 No\r\n\r\n"), 500);
      const slow = await aServer((socket) => void socket.once("data", () => late(socket)));
      expect(await runCheck(slow)).toBe("held");
      expect(await runCheck(slow, await aServer((socket) => void socket.resume()))).toBe(
        "a connection around the proxy is possible",
      );
    },
  );
});
