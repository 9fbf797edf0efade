import { uptimeMs } from "@haft/system";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import { folder, until } from "./support.ts";

const HOST = fileURLToPath(new URL("hosts/write-and-start.ts", import.meta.url));
const LEASE_MS = 1_500;

/** Every file and what is in it, but for what a host was writing, which has no name yet. */
function contents(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name)).filter((path) => !path.includes(".haft-"));
  const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  return Object.fromEntries(paths.map((path) => [path, digest(path)]));
}

/** Whether a process below this one runs, or waits for the disk. */
function isBusy(pid: number): boolean {
  const children = (id: number): number[] => {
    try {
      return readFileSync(`/proc/${id}/task/${id}/children`, "latin1").split(" ").filter(Boolean).map(Number);
    } catch {
      return [];
    }
  };
  const isAwake = (id: number): boolean => {
    try {
      return /\) [RD] /.test(readFileSync(`/proc/${id}/stat`, "latin1"));
    } catch {
      return false;
    }
  };
  return children(pid).some((child) => isAwake(child) || isBusy(child));
}

/** Stops a host after so many changes, and continues it when its lease has ended. */
async function stopAfter(changes: number, leaseMs: number) {
  const base = folder();
  const root = join(base, "ws");
  mkdirSync(root);
  const args = [...conditions, "--no-warnings", HOST, root, stateFolderIn(base), String(leaseMs)];
  const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // On a busy machine it may have ended before it is stopped.
  const closed = once(host, "close");
  onTestFinished(() => void host.kill("SIGKILL"));
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const endsAt = Number((await lines.next()).value);
  const log = join(root, "log");
  const countChanges = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length : 0);
  while (countChanges() < changes && uptimeMs() < endsAt) await sleep(5);
  host.kill("SIGSTOP");
  while (uptimeMs() < endsAt) await sleep(50);
  // Commands that were started before end first.
  await until("nothing that it started does anything", () => !isBusy(host.pid!) && !isBusy(host.pid!));
  const before = contents(root);
  host.kill("SIGCONT");
  const ends: unknown = JSON.parse((await lines.next()).value as string);
  await closed;
  const after = contents(root);
  return {
    ends,
    made: Object.keys(before).length,
    changed: Object.keys({ ...before, ...after })
      .filter((path) => before[path] !== after[path])
      .map((path) => relative(root, path)),
    halfWritten: readdirSync(root, { recursive: true }).filter((name) => String(name).includes(".haft-")),
  };
}

test("a host that was stopped until its lease ended continues with nothing", async () => {
  // On a busy machine a host may do nothing within its lease; then the next one gets more time.
  for (let leaseMs = LEASE_MS, most = 0; most <= 2; leaseMs *= 2) {
    const rounds = await Promise.all([2, 20, 60].map((changes) => stopAfter(changes, leaseMs)));
    for (const { ends, changed, halfWritten } of rounds) {
      expect(ends).toEqual(Array.from({ length: 3 }, () => "SESSION_LEASE_LOST none"));
      // A host may be stopped between its check of the lease and the system call: then that call is made.
      expect(changed.length).toBeLessThanOrEqual(1);
      // A command is started by the runner, which was not stopped and checks the lease itself.
      expect(changed).not.toContain("started");
      expect(halfWritten).toEqual([]);
    }
    most = Math.max(...rounds.map(({ made }) => made));
  }
});
