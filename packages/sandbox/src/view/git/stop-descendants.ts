import { attempt, readProcess, scanProcesses, type ProcessEntry } from "@haft/system";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Times that everything is looked at: what starts others all the time is not waited for. */
const LOOKS = 200;
const LOOKS_AT_ONCE = 3;
/** Looks that find all of them stopped: one alone does not see what is started by a process that ends at this moment. */
export const STABLE_SCANS = 3;

export interface StoppedProcesses {
  /** Those that were started meanwhile, and are in the middle of something: none of them goes on, either. */
  stopNew(): Promise<void>;
  resume(): void;
}

/** Stops all processes below one: nobody can tell what they have open. Waits some hundred milliseconds at most. */
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
  for (let looks = 0; looks < LOOKS_AT_ONCE && stop(quickly(pid)); looks++);
  return {
    async stopNew() {
      for (let looks = 0, quiet = 0; looks < LOOKS && quiet < STABLE_SCANS; looks++) {
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

/** Without a look at the processes of others. The system may leave one out that starts at this moment, and not every one tells. */
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
