import { attempt } from "@haft/workspace/internal/system";
import { lstatSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { nativePath } from "../../../mounts/raw-path.ts";
import { below, QUIET_LOOKS } from "../../git/stop-below.ts";

/** Processes that were ended because they wrote a file again and again. */
export interface EndedPlanter {
  command: string;
  processes: number;
}

/** Each session of processes has so long to write again, alone; and all of them together. */
const TRIAL_MS = 1000;
const TRIALS_MS = 4000;
const STEP_MS = 5;
/** Times that all are stopped: more may have been started meanwhile. */
const ROUNDS = 50;

interface InSession {
  id: number;
  parent: number;
  session: number;
}

/**
 * Finds out which processes of a view write a path, and ends them: all are stopped, and one session of processes after the other goes on
 * alone for a moment. The session that changes the path is ended, with what it started meanwhile. A path that changes while all of them are stopped is not theirs.
 *
 * @param pid the first process of the view
 * @param clear moves aside what is there, while all are stopped
 * @returns `undefined` where none of them wrote it
 */
export async function endPlanter(
  pid: number,
  path: string,
  clear: () => void,
): Promise<EndedPlanter | undefined> {
  const runner = runnerOf(pid);
  const others = (): InSession[] => inSessions(pid).filter(({ id }) => id !== runner);
  await stopAll(others);
  try {
    clear();
    const before = stateOf(path);
    await sleep(STEP_MS);
    if (stateOf(path) !== before) return undefined;
    const sessions = new Set(others().map((one) => one.session));
    const trial = Math.min(TRIAL_MS, TRIALS_MS / sessions.size);
    for (const session of sessions) {
      const known = new Set(others().map(({ id }) => id));
      signal(
        others().filter((one) => one.session === session),
        "SIGCONT",
      );
      const until = performance.now() + trial;
      while (stateOf(path) === before && performance.now() < until) await sleep(STEP_MS);
      const isGuilty = stateOf(path) !== before;
      await stopAll(others);
      if (!isGuilty) continue;
      const now = others();
      // The runner may have started a command.
      const commands = new Set(now.filter(({ parent }) => parent === runner).map((one) => one.session));
      const isStarted = (one: InSession): boolean => !known.has(one.id) && !commands.has(one.session);
      const guilty = now.filter((one) => one.session === session || isStarted(one));
      const command = guilty.map(({ id }) => commandOf(id)).find((words) => words !== "") ?? "";
      signal(guilty, "SIGKILL");
      clear();
      return { command, processes: guilty.length };
    }
    return undefined;
  } finally {
    signal(others(), "SIGCONT");
  }
}

async function stopAll(processes: () => InSession[]): Promise<void> {
  const stopped = new Set<number>();
  for (let round = 0, quiet = 0; round < ROUNDS && quiet < QUIET_LOOKS; round++) {
    const going = processes().filter(({ id }) => !stopped.has(id) || isGoing(id));
    quiet = going.length === 0 ? quiet + 1 : 0;
    signal(going, "SIGSTOP");
    for (const { id } of going) stopped.add(id);
    await sleep(1);
  }
}

function inSessions(pid: number): InSession[] {
  return below(pid).flatMap(({ id }) => {
    const fields = fieldsOf(id);
    return fields === undefined || "ZX".includes(fields[0]!)
      ? []
      : [{ id, parent: Number(fields[1]), session: Number(fields[3]) }];
  });
}

/** It answers the host, so it goes on: the second process of the view. */
function runnerOf(pid: number): number | undefined {
  return below(pid).find(({ id }) => {
    const status = attempt(() => readFileSync(`/proc/${id}/status`, "latin1")) ?? "";
    return /^NSpid:.*\t2$/m.test(status);
  })?.id;
}

function isGoing(id: number): boolean {
  const state = fieldsOf(id)?.[0];
  return state !== undefined && !"TtZX".includes(state);
}

/** State, parent, group, session and so on. */
function fieldsOf(id: number): string[] | undefined {
  const stat = attempt(() => readFileSync(`/proc/${id}/stat`, "latin1"));
  // After the name, which may hold anything.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function commandOf(id: number | undefined): string {
  const words = attempt(() => readFileSync(`/proc/${id}/cmdline`, "utf8")) ?? "";
  return words
    .split("\0")
    .filter((word) => word !== "")
    .join(" ");
}

function signal(processes: readonly InSession[], name: NodeJS.Signals): void {
  for (const { id } of processes) attempt(() => process.kill(id, name));
}

function stateOf(path: string): string {
  const stats = attempt(() => lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false }));
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.ctimeNs}`;
}
