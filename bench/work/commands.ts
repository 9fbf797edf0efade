import { monitorEventLoopDelay } from "node:perf_hooks";

/** Runs a command to its end or fails; resolves to its output. */
export type Run = (command: string) => Promise<string>;

const AT_ONCE = 200;
const SLEEP_MS = 200;
export const SLEEP_COMMAND = "sleep 0.2";
/** Prints its end time in seconds. */
const SAYS_ITS_END = "sleep 0.05; echo $EPOCHREALTIME";
export const GIB_OUTPUT_COMMAND = "head -c 1073741824 /dev/zero | tr '\\0' 'x' | fold -w 100";

let held: Buffer | undefined;

/** Makes the process as large as a busy host. */
export function holdMemory(): void {
  held ??= Buffer.alloc(1024 * 1024 * 1024, 1);
}

/** Time (ns), stall (ns) and peak growth (bytes). */
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

/** 200 sleeping commands in one turn. */
export async function runConcurrent(run: Run) {
  const { time, stall } = await measureWork(async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, () => run(SLEEP_COMMAND)));
  });
  return { beyond: time - SLEEP_MS * 1e6, stall };
}

/** From a command's end to its result (ns). */
export async function exitToReport(run: Run) {
  const said = await run(SAYS_ITS_END);
  const now = performance.timeOrigin + performance.now();
  return { time: (now - Number(/\d+[.,]\d+/.exec(said)![0].replace(",", ".")) * 1e3) * 1e6 };
}

/** The same number in the background; `runAll` resolves after all ends. */
export async function runInBackground(runAll: (command: string, count: number) => Promise<void>) {
  const { time, stall } = await measureWork(() => runAll("sleep 1; echo done", AT_ONCE));
  return { beyond: time - 1e9, stall };
}
