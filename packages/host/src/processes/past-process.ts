import type { ProcessInfo } from "@haft/core";
import type { RunRecord } from "@haft/core/kernel";
import type { ProcessRecord } from "@haft/store";
import { getOwnerStatus, type Owner } from "@haft/system";

/** Milliseconds for a killed process to end, and between checks. */
const KILL_MS = 2_000;
const POLL_MS = 20;

export function toPastInfo(stored: ProcessRecord): ProcessInfo {
  const { info, fate } = stored;
  const closed = {
    ...info,
    stdin: "closed" as const,
    output: { ...info.output, dropped: info.output.total },
  };
  delete closed.forward;
  if (info.state !== "running") return { ...closed, loss: info.loss ?? { code: "RUNNER_LOST", why: fate } };
  if (survives(stored)) {
    const why = `its host has ended; it still runs as pid ${stored.process!.pid}, and its output since then cannot be read here`;
    return { ...closed, loss: { code: "RUNNER_LOST", why } };
  }
  return { ...closed, state: "lost", loss: { code: "RUNNER_LOST", why: fate } };
}

/** Returns a run's command for a reader without its lease; the holder records the end. */
export function toStoredInfo(stored: ProcessRecord, heldBy: RunRecord["heldBy"]): ProcessInfo {
  const { info, process } = stored;
  if (heldBy === undefined || info.startedAt < heldBy.since) return toPastInfo(stored);
  const { total } = info.output;
  const known = { ...info, output: { ...info.output, dropped: total } };
  if (info.state !== "running") return known;
  if (process !== undefined && getOwnerStatus(ownerOf(process)) === "gone")
    return {
      ...known,
      state: "lost",
      loss: { code: "RUNNER_LOST", why: "how it ended is not written down yet" },
    };
  const why = `process ${heldBy.pid} on ${heldBy.host} has it, and what it writes cannot be read here`;
  return { ...known, loss: { code: "RUNNER_LOST", why } };
}

/** The pid may belong to another process. */
function survives({ process }: ProcessRecord): boolean {
  return process !== undefined && getOwnerStatus(ownerOf(process)) === "alive";
}

/** Kills the command's process group, unless its pid was reused. */
export async function killPastProcess(stored: ProcessRecord): Promise<ProcessInfo> {
  if (survives(stored)) {
    signalGroup(stored.process!.pid, "SIGKILL");
    for (let waited = 0; survives(stored) && waited < KILL_MS; waited += POLL_MS)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return toPastInfo(stored);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // It leads no group, or has ended.
    }
  }
}

function ownerOf({ pid, started, space }: NonNullable<ProcessRecord["process"]>): Owner {
  return { pid, started, space };
}
