import { monitorEventLoopDelay } from "node:perf_hooks";

/** Runs one command to its end, or fails. Resolves to its output. */
export type Run = (command: string) => Promise<string>;

const AT_ONCE = 200;
const SLEEP_MS = 200;
export const SLEEP_COMMAND = "sleep 0.2";
/** Says by the clock, in seconds, when it was about to end. */
const SAYS_ITS_END = "sleep 0.05; echo $EPOCHREALTIME";
export const GIB_OUTPUT_COMMAND = "head -c 1073741824 /dev/zero | tr '\\0' 'x' | fold -w 100";

let held: Buffer | undefined;

/** Makes this process as large as a busy host. */
export function holdMemory(): void {
  held ??= Buffer.alloc(1024 * 1024 * 1024, 1);
}

/** Time (ns) and stall (ns) of one piece of work, and by how many bytes the process grew at its peak. */
export async function measureWork(work: () => Promise<unknown>) {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  await work();
  const time = (performance.now() - started) * 1e6;
  delay.disable();
  clearInterval(sampler);
  return { time, stall: delay.max, memory: Math.max(0, peak - before) };
}

/** 200 commands that only sleep, begun in one turn. */
export async function runConcurrent(run: Run) {
  const { time, stall } = await measureWork(async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, () => run(SLEEP_COMMAND)));
  });
  return { beyond: time - SLEEP_MS * 1e6, stall };
}

/** From a command's end to the moment its result is there (ns). */
export async function exitToReport(run: Run) {
  const said = await run(SAYS_ITS_END);
  const now = performance.timeOrigin + performance.now();
  return { time: (now - Number(/\d+[.,]\d+/.exec(said)![0].replace(",", ".")) * 1e3) * 1e6 };
}

/** As many commands in the background; `runAll` resolves when it was told of the end of all. */
export async function runInBackground(runAll: (command: string, count: number) => Promise<void>) {
  const { time, stall } = await measureWork(() => runAll("sleep 1; echo done", AT_ONCE));
  return { beyond: time - 1e9, stall };
}
