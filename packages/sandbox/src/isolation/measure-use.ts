import { attempt } from "@haft/workspace/internal/system";
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { SandboxUse } from "../backend.ts";

const KIB = 1024;
/** A tick of the times in `/proc`, the same on each architecture. */
const TICK_MS = 10;
const TMPFS = 0x01_02_19_94;

/** What a control group counts, in either version; what it does not count is not there. */
export function useOfGroup(folders: readonly string[]): SandboxUse {
  const first = (names: readonly string[], read: (text: string) => number) => {
    for (const folder of folders)
      for (const name of names) {
        const value = read(attempt(() => readFileSync(join(folder, name), "latin1")) ?? "");
        if (Number.isFinite(value)) return value;
      }
    return undefined;
  };
  const plain = (text: string) => (text === "" ? Number.NaN : Number(text));
  const memoryBytes = first(["memory.current", "memory.usage_in_bytes"], plain);
  const tasks = first(["pids.current"], plain);
  return { ...(memoryBytes !== undefined && { memoryBytes }), ...(tasks !== undefined && { tasks }) };
}

interface Counted {
  parent: number;
  ms: number;
  threads: number;
}

/** What a process and all below it use, as `/proc` tells this user. What it tells of some of them alone is not there. */
export function useOfTree(root: number): SandboxUse {
  const all = new Map<number, Counted>();
  for (const pid of readdirSync("/proc").map(Number)) {
    const counted = pid > 0 ? countedOf(pid) : undefined;
    if (counted !== undefined) all.set(pid, counted);
  }
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

/** What is written in the private `/tmp` of a process, where it has one of this size. */
export function useOfTmp(pid: number, tmpMb: number): SandboxUse {
  const found = attempt(() => statfsSync(`/proc/${pid}/root/tmp`));
  if (found === undefined || found.type !== TMPFS) return {};
  // Another size: that of the host, which others write to as well.
  if (Math.abs(found.blocks * found.bsize - tmpMb * KIB * KIB) > found.bsize) return {};
  return { tmpBytes: (found.blocks - found.bfree) * found.bsize };
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
