import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import { uptimeMs } from "../../src/fence/uptime.ts";
import { folder } from "./support.ts";

const HOST = fileURLToPath(new URL("hosts/write-and-start.ts", import.meta.url));
const LEASE_MS = 3_000;

/** Every file and what is in it, but for what a host was writing, which has no name yet. */
function contents(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name)).filter((path) => !path.includes(".haft-"));
  const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  return Object.fromEntries(paths.map((path) => [path, digest(path)]));
}

test("a host that is stopped until its lease has ended goes on with nothing", async () => {
  const rounds = [60, 230, 410].map(async (stopAfterMs) => {
    const base = folder();
    const root = join(base, "ws");
    mkdirSync(root);
    const args = [...conditions, "--no-warnings", HOST, root, stateFolderIn(base), String(LEASE_MS)];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    // On a busy machine it may have ended before it is stopped.
    const closed = once(host, "close");
    onTestFinished(() => void host.kill("SIGKILL"));
    const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
    const endsAt = Number((await lines.next()).value);
    await sleep(stopAfterMs);
    host.kill("SIGSTOP");
    // And what had been started by then has ended.
    while (uptimeMs() < endsAt + 500) await sleep(50);
    const before = contents(root);
    host.kill("SIGCONT");
    const ends: unknown = JSON.parse((await lines.next()).value as string);
    await closed;
    expect(ends).toEqual(Array.from({ length: 3 }, () => "SESSION_LEASE_LOST none"));
    const after = contents(root);
    const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
    // Between the look and the system call there is nothing that it could be stopped by but chance: then it is that one call.
    expect(changed.length).toBeLessThanOrEqual(1);
    // A command is started by who was not stopped, and looks itself.
    expect(changed).not.toContain(join(root, "started"));
    // It left nothing half written either.
    expect(readdirSync(root, { recursive: true }).filter((name) => String(name).includes(".haft-"))).toEqual(
      [],
    );
    return Object.keys(before).length;
  });
  // They had been at it.
  expect(Math.max(...(await Promise.all(rounds)))).toBeGreaterThan(2);
});
