import { parseArgs } from "node:util";
import { fuzz } from "../packages/tools-fs/test/fuzz/patch-fuzz.ts";

/**
 * Random patches and edits against what must hold of every one: applied exactly as known or refused without
 * a trace, diffs that lead from old to new, undo that restores every byte.
 *
 *   node --conditions=@haft/source bench/patch-fuzz.ts [--count 100000] [--seed N]
 */
const { values } = parseArgs({
  options: { count: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!Number.isSafeInteger(count) || count < 3) throw new Error("--count takes a number of cases, at least 3");
if (!Number.isSafeInteger(seed)) throw new Error("--seed takes a whole number");

const started = performance.now();
const counts = await fuzz(count, seed);
for (const [what, times] of Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b)))
  console.log(`${what.padEnd(44)} ${String(times).padStart(7)}`);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${count} cases, seed ${seed}, ${seconds} s: no fault`);
