import { type ProcessEntry, scanProcesses, findProcess } from "@haft/system";
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { killTree, listGroupMembers, signalTree } from "../../src/run/process-tree.ts";
import { folder, findProcesses, uniqueSleep, until } from "../processes/support.ts";

const one = (pid: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  started: 1000,
  state: "S",
  zombie: false,
  ...more,
});
const tree = (pid: number, started = 1000) => ({
  leaders: [{ pid, started }],
  owns: () => false,
  folder: "/nowhere",
});
const pids = (members: ProcessEntry[]): number[] => members.map(({ pid }) => pid).toSorted((a, b) => a - b);

// Beyond what this machine has, so that nothing real is looked at.
const BASE = 2 ** 24;

describe("members of a tree", () => {
  test("include group, session and all descendants in any group", () => {
    const all = [
      one(BASE),
      one(BASE + 1, { parent: BASE }),
      one(BASE + 2, { parent: BASE + 1, started: 1001 }),
      one(BASE + 3, { group: BASE }),
      one(BASE + 4, { session: BASE }),
      one(BASE + 5, { parent: BASE + 4 }),
      one(BASE + 6),
    ];
    expect(pids(listGroupMembers(tree(BASE), all))).toEqual([0, 1, 2, 3, 4, 5].map((n) => BASE + n));
  });

  test("exclude a process that reuses the leader's pid, and its group", () => {
    const all = [one(BASE, { started: 2000 }), one(BASE + 1, { group: BASE, started: 2001 })];
    expect(listGroupMembers(tree(BASE), all)).toEqual([]);
  });

  test("exclude a group without its leader, which may belong to a reused pid", () => {
    expect(listGroupMembers(tree(BASE), [one(BASE + 1, { group: BASE, started: 2001 })])).toEqual([]);
  });

  test("include members of earlier scans", () => {
    const before = new Map<number, number>();
    const child = one(BASE + 1, { group: BASE });
    listGroupMembers(tree(BASE), [one(BASE), child], before);
    expect(pids(listGroupMembers(tree(BASE), [child], before))).toEqual([BASE + 1]);
    expect(listGroupMembers(tree(BASE), [{ ...child, started: 2000 }], before)).toEqual([]);
  });

  test("include the group of a leader that was not reaped yet", () => {
    const all = [one(BASE, { zombie: true }), one(BASE + 1, { group: BASE })];
    expect(pids(listGroupMembers(tree(BASE), all))).toEqual([BASE + 1]);
  });

  test("exclude processes older than the leader, dead processes and the caller", () => {
    const all = [
      one(BASE + 1, { group: BASE, started: 999 }),
      one(BASE + 2, { group: BASE, zombie: true }),
      one(process.pid, { group: BASE }),
    ];
    expect(listGroupMembers(tree(BASE), all)).toEqual([]);
  });
});

test("reads the same from `ps` and `/proc`", async () => {
  const child = spawn("sleep", [uniqueSleep()], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  // One that runs may be in another state at each look.
  child.kill("SIGSTOP");
  await until("it is stopped", () => findProcess(child.pid!)?.state === "T");
  const fromProc = findProcess(child.pid!)!;
  const fromPs = scanProcesses(true).find(({ pid }) => pid === child.pid)!;
  expect({ ...fromPs, started: 0 }).toEqual({ ...fromProc, started: 0 });
  expect(findProcess(child.pid!, true)?.started).toBe(fromPs.started);
  expect(findProcess(2 ** 24, true)).toBeUndefined();
});

test("parses a process name that looks like later fields", async () => {
  const seconds = uniqueSleep();
  const name = join(folder(), "x) R 1 1");
  copyFileSync("/bin/sleep", name);
  const child = spawn(name, [seconds], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await until("it runs", () => findProcesses(`\0${seconds}`).length === 1);
  expect(findProcess(child.pid!)).toMatchObject({ pid: child.pid, parent: process.pid });
});

test("kills a tree that grows during the kill", async () => {
  const seconds = uniqueSleep();
  const script = `while :; do (setsid sleep ${seconds} &) ; sleep 0.01; done`;
  const child = spawn("sh", ["-c", script], {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, HAFT_PROCESS: "t-1" },
  });
  await until("it grows", () => findProcesses(`sleep\0${seconds}`).length > 5);
  const grown = {
    leaders: [{ pid: child.pid!, started: findProcess(child.pid!)!.started }],
    owns: (mark: string) => mark === "t-1",
    folder: "/nowhere",
  };
  expect(signalTree(grown, "SIGCONT")).toBeGreaterThan(5);
  expect(await killTree(grown)).toBe(0);
  expect(findProcesses(seconds)).toEqual([]);
});
