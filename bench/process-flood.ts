import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

/**
 * A command writes endlessly, while a host reads its tail ten times a second and a file. Checks the last
 * megabyte and the byte count; prints the host's cost.
 *
 *   node --conditions=@haft/source bench/process-flood.ts [--gib 10] [--started-by runner|host]
 */
const { values } = parseArgs({
  options: { gib: { type: "string", default: "10" }, "started-by": { type: "string", default: "runner" } },
});
const total = Math.round(Number(values.gib) * 1024) * 1024 ** 2;
if (!(total > 0)) throw new Error("--gib takes a size");
const startedBy = values["started-by"] === "host" ? "host" : "runner";

const MIB = 1024 ** 2;
const LINE = "0123456789abcde\n";
const LIMITS = { residentMib: 200, delayMs: 50, fileMs: 10 };

const root = mkdtempSync(join(tmpdir(), "haft-flood-"));
const workspace = createHostWorkspace({ root });
const processes = createHostProcesses({ workspace, startedBy });
await workspace.fs.write("small", Buffer.alloc(1024));

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const fileTimes: number[] = [];
let resident = 0;
const probe = setInterval(() => {
  resident = Math.max(resident, process.memoryUsage.rss());
  const began = performance.now();
  void workspace.fs.read("small").then(() => fileTimes.push(performance.now() - began));
}, 20);

const began = performance.now();
const { id } = await processes.start("flood", { script: `yes 0123456789abcde | head -c ${total}` });
for (let running = true; running;) {
  const { total: there, state } = await processes.read(id, Number.MAX_SAFE_INTEGER);
  await processes.read(id, Math.max(0, there - 8192));
  running = state === "running";
  if (running) await processes.wait(id, { timeoutMs: 100 });
}
const seconds = (performance.now() - began) / 1000;
clearInterval(probe);
delay.disable();

const info = await processes.wait(id);
let tail = "";
for (let from = total - MIB; from < total;) {
  const { chunks, next } = await processes.read(id, from, { max: MIB });
  tail += chunks.map(({ bytes }) => Buffer.from(bytes).toString()).join("");
  from = next;
}
const intact = tail === LINE.repeat(MIB / LINE.length);
const fileP95 = fileTimes.toSorted((one, other) => one - other)[Math.floor(fileTimes.length * 0.95)] ?? 0;
const delayP99 = delay.percentile(99) / 1e6;
await processes.close();
rmSync(root, { recursive: true });

const checks: [string, string, boolean][] = [
  ["bytes counted", `${info.output.total} of ${total}`, info.output.total === total],
  ["bytes kept", `${info.output.total - info.output.dropped}, dropped ${info.output.dropped}`, true],
  ["last megabyte", intact ? "intact" : "damaged", intact],
  ["host resident, peak", `${(resident / MIB).toFixed(0)} MiB`, resident < LIMITS.residentMib * MIB],
  ["event-loop delay, p99", `${delayP99.toFixed(1)} ms`, delayP99 < LIMITS.delayMs],
  ["event-loop delay, longest", `${(delay.max / 1e6).toFixed(1)} ms`, true],
  ["reading a file meanwhile, p95", `${fileP95.toFixed(2)} ms`, fileP95 < LIMITS.fileMs],
  ["time", `${seconds.toFixed(1)} s, ${(total / MIB / seconds).toFixed(0)} MiB/s`, true],
];
for (const [name, value, good] of checks) console.log(`${good ? " " : "✗"} ${name.padEnd(30)} ${value}`);
process.exitCode = checks.every(([, , good]) => good) ? 0 : 1;
