import { attempt } from "@haft/workspace/internal/system";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Times that everything is looked at: what starts others all the time is not waited for. */
const LOOKS = 200;

/**
 * Stops all processes below one, in whatever namespaces they are, until what is answered is called: what they have open cannot be
 * told, so somebody who has to do two things at once makes sure that they do nothing in between. They are not waited for longer than
 * some hundred milliseconds.
 */
export async function stopBelow(pid: number): Promise<() => void> {
  const stopped = new Set<number>();
  for (let looks = 0; looks < LOOKS; looks++) {
    const going = below(pid).filter(({ state }) => !"TtZX".includes(state));
    if (going.length === 0) break;
    for (const { id } of going) {
      attempt(() => process.kill(id, "SIGSTOP"));
      stopped.add(id);
    }
    await sleep(1);
  }
  return () => {
    for (const id of stopped) attempt(() => process.kill(id, "SIGCONT"));
  };
}

interface Below {
  id: number;
  state: string;
}

function below(pid: number): Below[] {
  const children = new Map<number, Below[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = attempt(() => readFileSync(`/proc/${name}/stat`, "latin1"));
    // After the name, which may hold anything.
    const [, state, parent] = /\) (\S) (\d+) [^)]*$/s.exec(stat ?? "") ?? [];
    if (state === undefined) continue;
    const others = children.get(Number(parent)) ?? [];
    children.set(Number(parent), [...others, { id: Number(name), state }]);
  }
  const found = [...(children.get(pid) ?? [])];
  for (const { id } of found) found.push(...(children.get(id) ?? []));
  return found;
}
