import { attempt } from "@haft/system";
import { readdirSync, readFileSync } from "node:fs";

export const TRIAL_VARIABLE = "HAFT_TRIAL";

/** Limits the search for processes that start during the kill. */
const MAX_ROUNDS = 20;

/** Also kills processes outside its group that `/proc` identifies by their environment. */
export function endTrial(pid: number | undefined, mark: string): void {
  if (pid !== undefined) attempt(() => process.kill(-pid, "SIGKILL"));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const left = marked(mark);
    if (left.length === 0) return;
    for (const one of left) attempt(() => process.kill(one, "SIGKILL"));
  }
}

function marked(mark: string): number[] {
  const pids = (attempt(() => readdirSync("/proc")) ?? []).map(Number).filter(Number.isInteger);
  const entry = `${TRIAL_VARIABLE}=${mark}`;
  return pids.filter((pid) => {
    // Empty for an ended process.
    const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"));
    return environment?.includes(entry) === true;
  });
}
