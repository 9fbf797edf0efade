import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HostSockets } from "../../src/doors/host-sockets.ts";

/** Longer than what the list of all sockets is read into at first. */
const MANY = 600;

test.runIf(process.platform === "linux")(
  "all sockets of a machine with many of them, also one that comes after a look",
  async () => {
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
    const sockets = new HostSockets();
    const before = sockets.version();
    const paths = await Promise.all(Array.from({ length: MANY }, (_, at) => bind(`${at}${"-".repeat(40)}`)));
    const found = new Set(sockets.paths());
    expect(paths.filter((path) => !found.has(path))).toEqual([]);
    expect(sockets.version()).toBeGreaterThan(before);
    const late = await bind("late");
    expect(sockets.paths()).toContain(late);
  },
);

test.runIf(process.platform === "linux")(
  "each that comes, also where the list becomes longer than the system hands out at once",
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-sockets-")));
    const servers: Server[] = [];
    onTestFinished(() => {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const sockets = new HostSockets();
    // A line each, as long as one may be: two pages of them.
    for (let at = 0; at < 70; at++) {
      const path = join(folder, `${at}`.padEnd(106 - folder.length, "-"));
      const server = createServer();
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(path, resolve));
      expect(sockets.paths(), `socket ${at}`).toContain(path);
    }
  },
);
