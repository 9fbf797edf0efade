import { attempt, readProcess, scanProcesses, type SeenProcess } from "@haft/workspace/internal/system";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Times that everything is looked at: what starts others all the time is not waited for. */
const LOOKS = 200;
const LOOKS_AT_ONCE = 3;
/** Looks that find all of them stopped: one alone does not see what is started by a process that ends at this moment. */
export const QUIET_LOOKS = 3;

export interface Stopped {
  /** Those that were started meanwhile, and are in the middle of something: none of them goes on, either. */
  all(): Promise<void>;
  goOn(): void;
}

/** Stops all processes below one: nobody can tell what they have open. Waits some hundred milliseconds at most. */
export function stopBelow(pid: number): Stopped {
  const stopped = new Set<number>();
  const stop = (found: readonly SeenProcess[]): boolean => {
    const going = found.filter(isGoing);
    for (const { pid: id } of going) {
      attempt(() => process.kill(id, "SIGSTOP"));
      stopped.add(id);
    }
    return going.length > 0;
  };
  for (let looks = 0; looks < LOOKS_AT_ONCE && stop(quickly(pid)); looks++);
  return {
    async all() {
      for (let looks = 0, quiet = 0; looks < LOOKS && quiet < QUIET_LOOKS; looks++) {
        quiet = stop(below(pid)) ? 0 : quiet + 1;
        await sleep(1);
      }
    },
    goOn() {
      for (const id of stopped) attempt(() => process.kill(id, "SIGCONT"));
    },
  };
}

export function isGoing({ state }: Pick<SeenProcess, "state">): boolean {
  return !"TtZX".includes(state);
}

/** Without a look at the processes of others. The system may leave one out that starts at this moment, and not every one tells. */
function quickly(pid: number): SeenProcess[] {
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

export function below(pid: number): SeenProcess[] {
  const children = Map.groupBy(scanProcesses(), ({ parent }) => parent);
  const found = [...(children.get(pid) ?? [])];
  for (const one of found) found.push(...(children.get(one.pid) ?? []));
  return found;
}
