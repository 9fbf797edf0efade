import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** In the environment of a program, and of what it starts: whose it is. */
export const TREE_VARIABLE = "HAFT_SCRIPT_TREE";

/** Milliseconds that its output may stay open once all of it was ended. */
const PATIENCE_MS = 5_000;

/**
 * Ends a program that has a group of its own with all that it started, also what left the group, and waits until its output is
 * closed: not without end, since somebody may hold that who was not found.
 *
 * @param mark the value of {@link TREE_VARIABLE} in its environment; without it what left the group is not looked for
 * @returns what has to be told of it: a sentence
 */
export async function endTree(child: ChildProcess, mark?: string): Promise<string | undefined> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const isClosed = () => streams.every((stream) => stream.closed);
  kill(child.pid === undefined ? 0 : -child.pid);
  const left = mark === undefined ? [] : marked(mark, child.pid);
  left.forEach(kill);
  for (const until = Date.now() + PATIENCE_MS; !isClosed() && Date.now() < until;) await sleep(20);
  const isHeld = !isClosed();
  // Whoever holds them writes to nobody from now on.
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

/** What is in `/proc` with that in its environment, but that of the group, which was ended already. */
function marked(mark: string, group: number | undefined): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        // Empty for what has ended.
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
