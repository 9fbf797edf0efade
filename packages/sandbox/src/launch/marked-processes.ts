import { attempt, readProcessIdentity } from "@haft/system";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Not set inside the sandbox. */
export const SANDBOX_MARKER_VARIABLE = "HAFT_SANDBOX";

const ROUNDS = 100;
const PAUSE_MS = 10;

/** Returns whether all have ended. Killing only the first could leave a waiting child. */
export async function killMarkedProcesses(id: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const found = markedProcesses(id);
    if (found.length === 0) return true;
    for (const pid of found) attempt(() => process.kill(pid, "SIGKILL"));
    await sleep(PAUSE_MS);
  }
  return false;
}

function markedProcesses(id: string): number[] {
  const isMarked = (pid: number): boolean =>
    attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"))?.includes(
      `${SANDBOX_MARKER_VARIABLE}=${id}\0`,
    ) === true;
  const pids = readdirSync("/proc").map(Number);
  return pids.filter((pid) => pid > 1 && isMarked(pid) && readProcessIdentity(pid) !== undefined);
}
