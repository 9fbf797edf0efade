import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { expect, onTestFinished, test } from "vitest";
import type { PreparedView, RunnerView } from "../../src/processes/runner-view.ts";
import { folder } from "./support.ts";

/** A view that is the host itself, and does not come up so many times. */
function aView(failures: number, mayComeUpNow: boolean) {
  const starts: string[] = [];
  const view: RunnerView = {
    environment: {},
    prepare: async () => {
      const fails = starts.length < failures;
      starts.push(fails ? "failed" : "came up");
      const prepared: PreparedView = {
        argv: fails ? [process.execPath, "-e", "process.exit(1)", "--"] : [],
        node: process.execPath,
        files: [],
        onStarted: () => {},
        check: async () => {},
        explain: (output) => new Error(`it did not come up: ${output}`),
        canRetry: () => mayComeUpNow,
        onEnded: () => {},
      };
      return prepared;
    },
  };
  const processes = createHostProcesses({
    workspace: createHostWorkspace({ root: folder() }),
    stateFolder: folder(),
    view,
  });
  onTestFinished(() => processes.close({ graceMs: 0 }));
  return { starts, start: () => processes.start("call", { argv: ["true"] }) };
}

test("retries a view whose mounts changed during the start, a limited number of times", async () => {
  const moved = aView(2, true);
  await expect(moved.start()).resolves.toMatchObject({ id: expect.any(String) });
  expect(moved.starts).toEqual(["failed", "failed", "came up"]);
  const never = aView(9, true);
  await expect(never.start()).rejects.toThrow("it did not come up");
  expect(never.starts).toHaveLength(3);
});

test("does not retry a view that fails without changes", async () => {
  const { start, starts } = aView(1, false);
  await expect(start()).rejects.toThrow("it did not come up");
  expect(starts).toEqual(["failed"]);
});
