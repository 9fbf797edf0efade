import { identityOf } from "@haft/workspace/internal/system";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Variable of a launcher's own processes, not of what runs inside. */
export const MARK = "HAFT_SANDBOX";

const ROUNDS = 100;
const PAUSE_MS = 10;

/**
 * Kills a launcher's processes of a sandbox, and with them everything inside. Killing the first alone does not do
 * while it starts: its child ends with it only from some point on, and before that would wait for ever.
 *
 * Answers whether all are gone.
 */
export async function killMarked(id: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const found = markedProcesses(id);
    if (found.length === 0) return true;
    for (const pid of found) send(pid);
    await sleep(PAUSE_MS);
  }
  return false;
}

function markedProcesses(id: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (pid > 1 && environmentOf(pid).includes(`${MARK}=${id}\0`) && identityOf(pid) !== undefined)
      found.push(pid);
  }
  return found;
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // Gone, or not ours.
    return "";
  }
}

function send(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended in between.
  }
}
