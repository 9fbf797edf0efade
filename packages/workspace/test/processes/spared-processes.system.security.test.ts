import { scanProcesses } from "@haft/system";
import { describe, expect, test } from "vitest";
import { listGroupMembers, type Tree } from "../../src/run/process-tree.ts";

// A list of processes that was empty once read as pid 0, whose group is that of init: everything on
// the machine was stopped. These only look; nothing is signalled.
const tree = (leaders: Tree["leaders"]): Tree => ({ leaders, owns: () => false, folder: "/nonexistent" });

describe("processes of the system are never members of a tree", () => {
  const parent = scanProcesses().find(({ pid }) => pid === process.ppid)!;
  test.for([
    ["pid 0", [{ pid: 0, started: 0 }]],
    ["init", [{ pid: 1, started: 0 }]],
    ["no leader", []],
    ["a leader without a number", [{ pid: Number.NaN, started: Number.NaN }]],
  ] as const)("returns no members for %s", ([, leaders]) => {
    expect(listGroupMembers(tree(leaders))).toEqual([]);
  });

  test("excludes parents of this process, even if they lead a group of the tree", () => {
    const members = listGroupMembers(tree([{ pid: parent.group, started: 0 }, parent]));
    const pids = members.map(({ pid }) => pid);
    expect(pids).not.toContain(process.pid);
    expect(pids).not.toContain(process.ppid);
    expect(pids).not.toContain(1);
  });
});
