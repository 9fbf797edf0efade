import { isAlive, type Seen } from "../system/processes/process-identity.ts";
import { scanProcesses } from "../system/processes/process-scan.ts";
import type { Tree } from "./process-tree.ts";
import { membersOf } from "./process-tree.ts";

/**
 * Living processes of this program's PID namespace that are nobody's: neither of a tree nor below this program. What
 * made itself an orphan and gave up its group, its variables and its files is one of them.
 */
export function countUnmarked(tree: Tree, all: readonly Seen[] = scanProcesses()): number {
  const known = new Set(membersOf(tree, all).map(({ pid }) => pid));
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const lineOf = (pid: number): number[] => {
    const line: number[] = [];
    for (let at: number | undefined = pid; at !== undefined && !line.includes(at); at = parents.get(at))
      line.push(at);
    return line;
  };
  const above = new Set(lineOf(process.pid));
  const nobodys = all.filter(
    ({ pid, zombie }) => !zombie && !known.has(pid) && !above.has(pid) && !lineOf(pid).includes(process.pid),
  );
  // What has ended since the look at all is not known, because nothing more could be asked of it.
  return nobodys.filter((one) => isAlive(one)).length;
}
