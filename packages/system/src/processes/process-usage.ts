import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "../attempt.ts";

/** What processes use at the moment. A value that the system does not give is missing. */
export interface ProcessUsage {
  /** Memory, in bytes. */
  memoryBytes?: number;
  /** Time of processors, in milliseconds. It includes processes that have ended and for which their parent has waited. */
  cpuMs?: number;
  /** Number of threads. */
  tasks?: number;
}

interface Counted {
  parent: number;
  ms: number;
  threads: number;
}

const KIB = 1024;
/** A tick of the times in `/proc`, the same on each architecture. */
const TICK_MS = 10;

/** Of all processes, for those who ask in one go: reading it takes a millisecond for each fifty of them. */
let table: Map<number, Counted> | undefined;

/**
 * Returns what a process and all processes below it use, as `/proc` shows it to this user. A value that is known for a part of them
 * only is missing. Without `/proc`, and for a process that does not exist, the result is empty.
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
  // Parents may have higher numbers, so that one turn does not find all.
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
  // There is none on some systems.
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
  // The name of the program may hold spaces and brackets. Behind it: state, parent …
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const at = (index: number) => Number(fields[index]);
  // Of those that ended and were waited for, too.
  return { parent: at(1), ms: (at(11) + at(12) + at(13) + at(14)) * TICK_MS, threads: at(17) };
}

/** With its share of what it has together with others. Not a number where that is not told. */
function memoryOf(pid: number): number {
  const text = attempt(() => readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"));
  if (text === undefined) return attempt(() => readFileSync(`/proc/${pid}/stat`)) ? Number.NaN : 0;
  const [, kib] = /^Pss: +(\d+) kB$/m.exec(text) ?? [];
  return kib === undefined ? Number.NaN : Number(kib) * KIB;
}
