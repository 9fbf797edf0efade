import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Nanoseconds of a Linux tick. */
const TICK = 1e7;

/** Median time of complete runs, and the system's CPU time of all. */
export function programCost(
  program: string,
  words: readonly string[],
  { runs, ...options }: { runs: number; cwd: string; input: string; env: Record<string, string> },
): { time: number; cpu: number } {
  const before = childTicks();
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    const { status, stderr } = spawnSync(program, words, {
      ...options,
      env: { ...process.env, ...options.env },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
    return (performance.now() - start) * 1e6;
  });
  const [time = 0] = times.toSorted((a, b) => a - b).slice(runs >> 1);
  return { time, cpu: ((childTicks() - before) * TICK) / runs };
}

/** All ended child programs. */
function childTicks(): number {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[13]) + Number(fields[14]);
}
