import { findProcess } from "@haft/system";
import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { countUnmarked } from "../../src/run/process-table.ts";

const nobodysTree = { leaders: [], owns: () => false, folder: "/nowhere" };

test("does not count processes that ended after the scan", () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const there = { ...findProcess(child.pid!)!, parent: 1 };
  // Beyond what this machine has; and one that had the number before.
  const ended = { ...there, pid: 2 ** 24 };
  const earlier = { ...there, started: there.started - 1 };
  expect(countUnmarked(nobodysTree, [there])).toBe(1);
  expect(countUnmarked(nobodysTree, [ended, earlier])).toBe(0);
});
