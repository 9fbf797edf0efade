import { attempt, type ProcessUse, useOfTree } from "@haft/workspace/internal/system";
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeUse } from "../contract/use.ts";

/** Milliseconds between two looks at the time that processors have spent. */
const SAMPLE_MS = 200;
/** For so long one measurement is everybody's: hosts may ask as often as they like. */
const SHARED_MS = 1_000;

let shared: { measured: Promise<Measured>; until: number } | undefined;

type Measured = Omit<NodeUse, "calls" | "mostCalls" | "workspaces" | "mostWorkspaces">;

/** What this program, all that it has started, and this machine use. Never rejects. */
export function measureUse(): Promise<Measured> {
  const now = performance.now();
  if (shared === undefined || now >= shared.until)
    shared = { measured: measure(), until: now + SAMPLE_MS + SHARED_MS };
  return shared.measured;
}

async function measure(): Promise<Measured> {
  const [before, began] = [ownUse(), performance.now()];
  await sleep(SAMPLE_MS, undefined, { ref: false });
  const { cpuMs, memoryBytes, tasks } = ownUse();
  const spent = (cpuMs ?? Number.NaN) - (before.cpuMs ?? Number.NaN);
  const [load] = loadavg();
  return {
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(tasks !== undefined && { tasks }),
    // Less than before: what ended took its time along.
    ...(spent >= 0 && { cpus: rounded(spent / (performance.now() - began)) }),
    machineMemoryBytes: machineMemory(),
    // In a container, what is left of its own limit; a moment later it may be more than there is.
    machineFreeBytes: Math.max(0, attempt(() => process.availableMemory()) ?? freemem()),
    machineCpus: availableParallelism(),
    ...(load !== undefined && { machineLoad: rounded(load) }),
  };
}

function ownUse(): ProcessUse {
  const tree = useOfTree(process.pid);
  if (tree.cpuMs !== undefined) return tree;
  // Where there is no `/proc`: of this program alone.
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, memoryBytes: process.memoryUsage.rss() };
}

/** In a container, its own limit counts. */
function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
