import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HostSockets } from "../../src/host-sockets/host-sockets.ts";

/** Longer than what the list of all sockets is read into at first. */
const MANY = 600;

const onLinux = process.platform === "linux";

/** Binds sockets in a folder, as long as the test lasts. */
function sockets() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-sockets-")));
  const servers: Server[] = [];
  onTestFinished(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const bind = async (name: string): Promise<string> => {
    const path = join(folder, name);
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return path;
  };
  return { folder, bind };
}

test.runIf(onLinux)(
  "lists all sockets of a busy machine, also a socket that comes after a poll",
  async () => {
    const { bind } = sockets();
    const host = new HostSockets();
    const before = host.version();
    const paths = await Promise.all(Array.from({ length: MANY }, (_, at) => bind(`${at}${"-".repeat(40)}`)));
    const found = new Set(host.paths());
    expect(paths.filter((path) => !found.has(path))).toEqual([]);
    expect(host.version()).toBeGreaterThan(before);
    const late = await bind("late");
    expect(host.paths()).toContain(late);
  },
);

test.runIf(onLinux)("finds each new socket, also in a list longer than one read", async () => {
  const { folder, bind } = sockets();
  const host = new HostSockets();
  // A line each, as long as one may be: two pages of them.
  for (let at = 0; at < 70; at++) {
    const path = await bind(`${at}`.padEnd(106 - folder.length, "-"));
    expect(host.paths(), `socket ${at}`).toContain(path);
  }
});
