import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Marks the environment of a program and its children. */
export const TREE_VARIABLE = "HAFT_SCRIPT_TREE";

/** Milliseconds for output to close after the end. */
const PATIENCE_MS = 5_000;

/**
 * Ends a program's process group and children, and waits briefly for its output to close.
 *
 * @param mark value of {@link TREE_VARIABLE}; without it, processes outside the group are not found
 * @returns a problem's sentence
 */
export async function endTree(child: ChildProcess, mark?: string): Promise<string | undefined> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const isClosed = () => streams.every((stream) => stream.closed);
  kill(child.pid === undefined ? 0 : -child.pid);
  const left = mark === undefined ? [] : marked(mark, child.pid);
  left.forEach(kill);
  for (const until = Date.now() + PATIENCE_MS; !isClosed() && Date.now() < until;) await sleep(20);
  const isHeld = !isClosed();
  // Remaining writers lose their reader.
  for (const stream of streams) stream.destroy();
  const name = child.spawnargs.join(" ");
  if (isHeld)
    return `${name} was ended, and something that it started, and that was not found, still has its output open.`;
  return left.length === 0 ? undefined : `${name} left ${left.length} of what it started, which was ended.`;
}

function kill(pid: number): void {
  try {
    if (pid !== 0) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Finds marked processes in `/proc`, except the group, which ended already. */
function marked(mark: string, group: number | undefined): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const environment = pid > 1 ? readFileSync(`/proc/${pid}/environ`, "latin1") : "";
        return environment.includes(`${TREE_VARIABLE}=${mark}\0`) && groupOf(pid) !== group;
      } catch {
        return false;
      }
    });
}

function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(group);
}
