import type { FileIdentity } from "@haft/core";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { EACH_START_MODE, run, session } from "./support.ts";

/** Exchanges the two programs and back, until it is told to stop. */
const SWAPPER = `
const { renameSync } = require("node:fs");
const { stop, tool, other, kept } = require("node:worker_threads").workerData;
while (Atomics.load(stop, 0) === 0) {
  for (const moves of [[tool, kept, other, tool], [tool, other, kept, tool]]) {
    Atomics.wait(stop, 0, 0, Math.random() * 4);
    renameSync(moves[0], moves[1]);
    renameSync(moves[2], moves[3]);
  }
}`;

/**
 * Native programs, which are held open from before the look until they run. For a script, whatever is swapped
 * before the look never runs either; but its interpreter opens it by name, some milliseconds later.
 */
describe("a program that another process constantly swaps", () => {
  function programs(options: Parameters<typeof session>[0]) {
    const { root, processes } = session(options);
    const [tool, other, kept] = ["tool", "other", "kept"].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    copyFileSync("/bin/echo", tool);
    copyFileSync("/bin/false", other);
    const goodHash = createHash("sha256").update(readFileSync(tool)).digest("hex");
    const identifyTool = async () =>
      (await processes.identify([{ name: "./tool", hash: true }], {})).files[0];
    const outcome = async (expected: FileIdentity): Promise<string> => {
      try {
        const { text, exitCode } = await run(processes, { argv: [tool, "good"], expect: [expected] });
        return exitCode === 0 ? text : "evil";
      } catch (thrown) {
        return (thrown as { code: string }).code;
      }
    };
    return { tool, other, kept, goodHash, identifyTool, outcome };
  }

  test("is never started by this program after its check", async () => {
    const { tool, other, kept, goodHash, identifyTool, outcome } = programs({ startedBy: "host" });
    let swaps = 0;
    let left = 0;
    let settled = Promise.withResolvers<void>();
    const swap = (): void => {
      const good = swaps++ % 2 === 0;
      renameSync(tool, good ? kept : other);
      renameSync(good ? other : kept, tool);
      if (--left > 0) setImmediate(swap);
      else settled.resolve();
    };
    const seen = new Map<string, number>();
    for (let round = 0; round < scaleRuns(200, 4); round++) {
      if (swaps % 2 === 1) swap();
      const expected = await identifyTool();
      expect(expected?.sha256).toBe(goodHash);
      // Swaps once or several times, from some later turn of the event loop on.
      left = 1 + (round % 3);
      settled = Promise.withResolvers();
      let turns = round % 13;
      const later = (): void => void (turns-- > 0 ? setImmediate(later) : swap());
      later();
      const result = await outcome(expected!);
      seen.set(result, (seen.get(result) ?? 0) + 1);
      await settled.promise;
    }
    expect([...seen.keys()].toSorted()).toEqual(["PLAN_CHANGED", "good\n"]);
  });

  test.each(EACH_START_MODE)("is not started from another thread, $name", async ({ options }) => {
    const { goodHash, identifyTool, outcome, ...paths } = programs(options);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(SWAPPER, { eval: true, workerData: { stop, ...paths } });
    try {
      await new Promise((resolve) => worker.once("online", resolve));
      const seen = new Map<string, number>();
      for (let round = 0; round < 300 && !(round > 30 && seen.has("PLAN_CHANGED")); round++) {
        const expected = await identifyTool();
        // Nothing was there at this moment, or the other one: nobody decided about that.
        if (expected?.sha256 !== goodHash) continue;
        const result = await outcome(expected);
        seen.set(result, (seen.get(result) ?? 0) + 1);
        expect(["good\n", "PLAN_CHANGED"]).toContain(result);
      }
      expect(seen.get("PLAN_CHANGED") ?? 0).toBeGreaterThan(0);
    } finally {
      Atomics.store(stop, 0, 1);
      await worker.terminate();
    }
  });
});
