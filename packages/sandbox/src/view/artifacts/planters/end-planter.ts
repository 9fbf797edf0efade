import { attempt, type ProcessEntry } from "@haft/system";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readChangeStamp } from "../../../mounts/stats.ts";
import { listDescendants, isRunning, STABLE_SCANS } from "../../git/stop-descendants.ts";

export interface EndedPlanter {
  command: string;
  processes: number;
}

const TRIAL_MS = 1000;
const TRIALS_MS = 4000;
const STEP_MS = 5;
/** New processes may start. */
const ROUNDS = 50;

/** Stops all, lets each process session run alone, and ends the one that writes the path. `undefined`: none. `clear` moves it aside. */
export async function endPlanter(
  pid: number,
  path: string,
  clear: () => void,
): Promise<EndedPlanter | undefined> {
  const runner = runnerOf(pid);
  const others = (): ProcessEntry[] =>
    listDescendants(pid).filter((one) => one.pid !== runner && !one.zombie);
  await stopAll(others);
  try {
    clear();
    const before = readChangeStamp(path);
    await sleep(STEP_MS);
    if (readChangeStamp(path) !== before) return undefined;
    const sessions = new Set(others().map((one) => one.session));
    const trial = Math.min(TRIAL_MS, TRIALS_MS / sessions.size);
    for (const session of sessions) {
      const known = new Set(others().map((one) => one.pid));
      signal(
        others().filter((one) => one.session === session),
        "SIGCONT",
      );
      const until = performance.now() + trial;
      while (readChangeStamp(path) === before && performance.now() < until) await sleep(STEP_MS);
      const isGuilty = readChangeStamp(path) !== before;
      await stopAll(others);
      if (!isGuilty) continue;
      const now = others();
      // The runner may have started a command.
      const commands = new Set(now.filter(({ parent }) => parent === runner).map((one) => one.session));
      const isStarted = (one: ProcessEntry): boolean => !known.has(one.pid) && !commands.has(one.session);
      const guilty = now.filter((one) => one.session === session || isStarted(one));
      const command = guilty.map((one) => commandOf(one.pid)).find((words) => words !== "") ?? "";
      signal(guilty, "SIGKILL");
      clear();
      return { command, processes: guilty.length };
    }
    return undefined;
  } finally {
    signal(others(), "SIGCONT");
  }
}

async function stopAll(processes: () => ProcessEntry[]): Promise<void> {
  const stopped = new Set<number>();
  for (let round = 0, quiet = 0; round < ROUNDS && quiet < STABLE_SCANS; round++) {
    const going = processes().filter((one) => !stopped.has(one.pid) || isRunning(one));
    quiet = going.length === 0 ? quiet + 1 : 0;
    signal(going, "SIGSTOP");
    for (const one of going) stopped.add(one.pid);
    await sleep(1);
  }
}

/** The second process of the view must run, because it answers the host. */
function runnerOf(pid: number): number | undefined {
  return listDescendants(pid).find((one) => {
    const status = attempt(() => readFileSync(`/proc/${one.pid}/status`, "latin1")) ?? "";
    return /^NSpid:.*\t2$/m.test(status);
  })?.pid;
}

function commandOf(id: number | undefined): string {
  const words = attempt(() => readFileSync(`/proc/${id}/cmdline`, "utf8")) ?? "";
  return words
    .split("\0")
    .filter((word) => word !== "")
    .join(" ");
}

function signal(processes: readonly ProcessEntry[], name: NodeJS.Signals): void {
  for (const { pid } of processes) attempt(() => process.kill(pid, name));
}
