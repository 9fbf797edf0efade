import { attempt } from "@haft/workspace/internal/system";
import { readdirSync, readFileSync } from "node:fs";

/** As processes of a view count: its first process, and the runner, whose children are commands and shells that wait. */
const RUNNER = 2;

/**
 * Does anything run in a view that no command is waited for any more? What was left behind goes on for a moment until it is ended, or
 * longer, and belongs to the first process.
 *
 * @param pid of a process of the view, as the host counts
 */
export function hasLeftRunning(pid: number): boolean {
  const processes = `/proc/${pid}/root/proc`;
  const names = attempt(() => readdirSync(processes)) ?? [];
  return names.some((name) => {
    if (!/^\d+$/.test(name) || Number(name) <= RUNNER) return false;
    const stat = attempt(() => readFileSync(`${processes}/${name}/stat`, "latin1"));
    // After the name, which may hold anything: state and parent.
    const [, state, parent] = /\) (\S) (\d+) [^)]*$/s.exec(stat ?? "") ?? [];
    return parent !== undefined && state !== "Z" && Number(parent) !== RUNNER;
  });
}
