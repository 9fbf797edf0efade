import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeControlGroup, RESERVED_TASKS } from "../../src/isolation/control-group.ts";
import { testGrouped } from "../bubblewrap/support.ts";
import { tempFolder } from "../support.ts";

const LIMITS = { memoryMb: 64, tasks: 10, cpus: 1.5, fileMb: 1, tmpMb: 1 };

test("limits nothing and leaves nothing without control groups", async () => {
  const root = tempFolder("groups");
  const group = makeControlGroup("x", LIMITS, root);
  expect([...group.controllers]).toEqual([]);
  expect(group.folders).toEqual([]);
  expect(group.entries()).toEqual([]);
  expect(group.ranOutOfMemory()).toBe(false);
  expect(await group.remove()).toBe(true);
});

test("removes a folder whose limits cannot be set", () => {
  const root = tempFolder("groups");
  // Looks like version 2, but files do not appear in new folders, so nothing can be limited.
  writeFileSync(join(root, "cgroup.controllers"), "memory pids cpu");
  writeFileSync(join(root, "cgroup.subtree_control"), "memory pids");
  expect(makeControlGroup("x", LIMITS, root).folders).toEqual([]);
  expect(existsSync(join(root, "haft-x"))).toBe(false);
});

testGrouped("sets the kernel's numbers, and removes the group when it is empty", async () => {
  const group = makeControlGroup(`test-${process.pid}`, LIMITS);
  try {
    expect([...group.controllers].toSorted()).toEqual(["cpu", "memory", "pids"]);
    const read = (...names: string[]): string | undefined =>
      group.folders
        .flatMap((folder) => names.map((name) => join(folder, name)))
        .filter((path) => existsSync(path))
        .map((path) => readFileSync(path, "utf8").trim())
        .at(0);
    expect(read("memory.limit_in_bytes", "memory.max")).toBe(String(64 * 1024 * 1024));
    expect(read("pids.max")).toBe(String(10 + RESERVED_TASKS));
    expect(read("cpu.cfs_quota_us", "cpu.max")).toMatch(/^150000/);
    expect(group.occupied()).toBe(false);
  } finally {
    expect(await group.remove()).toBe(true);
  }
  for (const folder of group.folders) expect(existsSync(folder)).toBe(false);
});
