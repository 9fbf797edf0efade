import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../workspace/test/contract/support.ts";
import {
  getOwnerStatus,
  HAS_PROC,
  readProcessIdentity,
  isAlive,
  readProcess,
  getCurrentOwner,
  getCurrentProcess,
} from "../src/processes/process-identity.ts";
import { scanProcesses } from "../src/processes/process-scan.ts";

/** No process has this number. */
const NOBODY = 0x7fff_fffe;

test("a process is alive until it ends, and a later process with its number is another", () => {
  const own = getCurrentProcess();
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, started: 0 })).toBe(true);
  expect(isAlive({ pid: NOBODY, started: 0 })).toBe(false);
  if (HAS_PROC) expect(isAlive({ ...own, started: own.started + 1 })).toBe(false);
});

test.skipIf(!HAS_PROC)("a zombie has ended", async () => {
  // What the shell becomes does not wait for its child.
  const parent = spawn("sh", ["-c", "sleep 0.1 & exec sleep 60"], { stdio: "ignore" });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const child = () => scanProcesses().find((one) => one.parent === parent.pid);
  await until("its child has ended", () => child()?.zombie === true);
  const { pid, started } = child()!;
  expect(readProcess(pid)?.zombie).toBe(true);
  expect(readProcessIdentity(pid)).toBeUndefined();
  expect(isAlive({ pid, started })).toBe(false);
});

test("who cannot be looked at counts as alive", () => {
  expect(isAlive({ pid: process.pid, started: 1 }, () => undefined)).toBe(true);
});

test("of an owner elsewhere nothing is known", () => {
  const own = getCurrentOwner();
  expect(getOwnerStatus(own)).toBe("alive");
  expect(getOwnerStatus({ ...own, pid: NOBODY })).toBe("gone");
  expect(getOwnerStatus({ ...own, pid: NOBODY, space: "another machine" })).toBe("unknown");
  expect(getOwnerStatus({ ...own, pid: Number.NaN })).toBe("unknown");
});
