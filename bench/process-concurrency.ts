import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";

/**
 * Runs parallel commands: their delay beyond the sleep, stalls of the host's loop, and output mixed between
 * commands.
 *
 *   node --conditions=@haft/source bench/process-concurrency.ts [--count 200] [--rounds 5] [--host-mib 0]
 *     [--started-by runner|host]
 */
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    "host-mib": { type: "string", default: "0" },
    "started-by": { type: "string", default: "runner" },
  },
});
const count = Number(values.count);
const SLEEP_MS = 500;

const root = mkdtempSync(join(tmpdir(), "haft-concurrency-"));
const workspace = createHostWorkspace({ root });
const startedBy = values["started-by"] === "host" ? "host" : "runner";
const processes = createHostProcesses({ workspace, startedBy, maxRunning: count });
// In long sessions, the runner starts before the host grows.
await runOne("warm-up", 0);
const ballast = Buffer.alloc(Number(values["host-mib"]) * 1024 ** 2, 1);

let mixed = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const texts = await Promise.all(Array.from({ length: count }, (_, n) => runOne(`${round}-${n}`, SLEEP_MS)));
  const beyond = performance.now() - began - SLEEP_MS;
  delay.disable();
  mixed += texts.filter((text, n) => text !== `out ${round}-${n}\nend ${round}-${n}\n`).length;
  console.log(
    `${count} commands: ${beyond.toFixed(0)} ms beyond their sleep, ` +
      `longest stall ${(delay.max / 1e6).toFixed(1)} ms, p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`,
  );
}
console.log(`${mixed} outputs mixed; host of ${(process.memoryUsage().rss / 1024 ** 2).toFixed(0)} MiB`);
process.exitCode = mixed === 0 ? 0 : 1;
await processes.close();
rmSync(root, { recursive: true });
if (ballast.length > 0 && ballast[0] !== 1) throw new Error("the ballast was optimised away");

async function runOne(name: string, sleepMs: number): Promise<string> {
  const { id } = await processes.start(name, {
    script: `echo out ${name}; sleep ${sleepMs / 1000}; echo end ${name}`,
  });
  await processes.wait(id);
  const { chunks } = await processes.read(id, 0);
  await processes.release(id);
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
}
