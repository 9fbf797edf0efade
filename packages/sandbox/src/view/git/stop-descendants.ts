import { attempt, readProcess, scanProcesses, type ProcessEntry } from "@haft/system";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process may keep starting others. */
const MAX_SCANS = 200;
const QUICK_SCANS = 3;
/** One scan can miss the child of a process that ends. */
export const STABLE_SCANS = 3;

export interface StoppedProcesses {
  stopNew(): Promise<void>;
  resume(): void;
}

/** Stops all, because their open files are unknown. Takes at most some hundred milliseconds. */
export function stopDescendants(pid: number): StoppedProcesses {
  const stopped = new Set<number>();
  const stop = (found: readonly ProcessEntry[]): boolean => {
    const going = found.filter(isRunning);
    for (const { pid: id } of going) {
      attempt(() => process.kill(id, "SIGSTOP"));
      stopped.add(id);
    }
    return going.length > 0;
  };
  for (let scans = 0; scans < QUICK_SCANS && stop(quickly(pid)); scans++);
  return {
    async stopNew() {
      for (let scans = 0, quiet = 0; scans < MAX_SCANS && quiet < STABLE_SCANS; scans++) {
        quiet = stop(listDescendants(pid)) ? 0 : quiet + 1;
        await sleep(1);
      }
    },
    resume() {
      for (const id of stopped) attempt(() => process.kill(id, "SIGCONT"));
    },
  };
}

export function isRunning({ state }: Pick<ProcessEntry, "state">): boolean {
  return !"TtZX".includes(state);
}

/** Children only; may be incomplete. */
function quickly(pid: number): ProcessEntry[] {
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const texts = threads.map((thread) =>
    attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")),
  );
  const children = texts.flatMap((text) => text?.split(" ").filter((id) => id !== "") ?? []);
  return children.map(Number).flatMap((id) => {
    const seen = readProcess(id);
    return [...(seen === undefined ? [] : [seen]), ...quickly(id)];
  });
}

export function listDescendants(pid: number): ProcessEntry[] {
  const children = Map.groupBy(scanProcesses(), ({ parent }) => parent);
  const found = [...(children.get(pid) ?? [])];
  for (const one of found) found.push(...(children.get(one.pid) ?? []));
  return found;
}
