import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "../attempt.ts";

/** Describes the current use by processes. Unknown values are missing. */
export interface ProcessUsage {
  /** States the memory, in bytes. */
  memoryBytes?: number;
  /** States the processor time, in milliseconds, of ended processes as well, if their parent has waited for them. */
  cpuMs?: number;
  /** Counts threads. */
  tasks?: number;
}

interface Counted {
  parent: number;
  ms: number;
  threads: number;
}

const KIB = 1024;
/** A tick in `/proc`, equal on all architectures. */
const TICK_MS = 10;

/** All processes, for consecutive questions: a read takes a millisecond per fifty processes. */
let table: Map<number, Counted> | undefined;

/**
 * Returns the use of a process and all processes below it, as `/proc` shows it to this user. A partly unknown value is missing. Without
 * `/proc` or the process, the result is empty.
 *
 * @example
 * ```ts
 * import { readTreeUsage } from "@haft/system";
 * const { memoryBytes = 0, tasks = 0 } = readTreeUsage(process.pid);
 * if (memoryBytes > 2_000_000_000 || tasks > 500) console.warn("The agent uses too much.");
 * ```
 */
export function readTreeUsage(root: number): ProcessUsage {
  const all = allProcesses();
  if (!all.has(root)) return {};
  const tree = new Set([root]);
  // Parents may have higher numbers.
  for (let before = 0; before < tree.size;) {
    before = tree.size;
    for (const [pid, { parent }] of all) if (tree.has(parent)) tree.add(pid);
  }
  let [cpuMs, tasks, memoryBytes] = [0, 0, 0];
  for (const pid of tree) {
    const { ms, threads } = all.get(pid)!;
    cpuMs += ms;
    tasks += threads;
    memoryBytes += memoryOf(pid);
  }
  return { cpuMs, tasks, ...(Number.isFinite(memoryBytes) && { memoryBytes }) };
}

function allProcesses(): Map<number, Counted> {
  if (table !== undefined) return table;
  const all = new Map<number, Counted>();
  // Some systems have no `/proc`.
  for (const pid of (attempt(() => readdirSync("/proc")) ?? []).map(Number)) {
    const counted = pid > 0 ? countedOf(pid) : undefined;
    if (counted !== undefined) all.set(pid, counted);
  }
  table = all;
  setImmediate(() => (table = undefined));
  return all;
}

function countedOf(pid: number): Counted | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (text === undefined) return undefined;
  // The program's name may have spaces and brackets. Then follow state, parent …
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const at = (index: number) => Number(fields[index]);
  // Includes ended children.
  return { parent: at(1), ms: (at(11) + at(12) + at(13) + at(14)) * TICK_MS, threads: at(17) };
}

/** Includes its share of shared memory. Not a number if unknown. */
function memoryOf(pid: number): number {
  const text = attempt(() => readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"));
  if (text === undefined) return attempt(() => readFileSync(`/proc/${pid}/stat`)) ? Number.NaN : 0;
  const [, kib] = /^Pss: +(\d+) kB$/m.exec(text) ?? [];
  return kib === undefined ? Number.NaN : Number(kib) * KIB;
}
