import {
  attempt,
  type ProcessIdentity,
  readProcess,
  type ProcessEntry,
  readProcessMarkers,
  scanProcesses,
} from "@haft/system/processes";
import { setTimeout as sleep } from "node:timers/promises";
import type { ControlGroup } from "./groups/control-group.ts";

export interface Tree {
  leaders: readonly ProcessIdentity[];
  owns(mark: string): boolean;
  folder: string;
  controlGroups?: readonly ControlGroup[];
}

/** Rounds of looking again while a tree keeps growing. A fork bomb is stopped first, so that it cannot. */
const MAX_ROUNDS = 50;
/** How often a tree is looked at while it is given time to end; milliseconds. */
const FIRST_LOOK = 10;
const LONGEST_LOOK = 200;

/**
 * The living members of a tree: what is in its control groups, groups and sessions of its leaders, whoever carries its
 * mark, and all their descendants.
 *
 * A group only counts as long as its leader is there, be it as a zombie. Once the leader was reaped its pid may
 * have been given to another process, whose group looks the same after that one's end: then only marks tell, and
 * what was seen before.
 *
 * @param before members that were seen earlier; those that are seen now are added.
 */
export function listGroupMembers(
  tree: Tree,
  all: readonly ProcessEntry[] = scanProcesses(),
  before = new Map<number, number>(),
): ProcessEntry[] {
  const { leaders, folder, controlGroups = [] } = tree;
  const present = new Map(all.map(({ pid, started }) => [pid, started]));
  const groups = new Set(
    leaders.filter(({ pid, started }) => pid > 1 && present.get(pid) === started).map(({ pid }) => pid),
  );
  const oldest = leaders.length === 0 ? 0 : Math.min(...leaders.map(({ started }) => started));
  const spared = withAncestors(process.pid, all);
  // Looked at last, so that these numbers mean what they are signalled for.
  const grouped = new Set(controlGroups.flatMap((group) => group.members()));
  const late = [...grouped].filter((pid) => !present.has(pid)).flatMap((pid) => readProcess(pid) ?? []);
  const mayBe = ({ pid, started }: ProcessEntry): boolean => started >= oldest || grouped.has(pid);
  const candidates = [...all, ...late].filter((one) => one.pid > 1 && mayBe(one) && !spared.has(one.pid));
  const isMember = ({ pid, group, session, started }: ProcessEntry): boolean =>
    groups.has(group) ||
    groups.has(session) ||
    grouped.has(pid) ||
    before.get(pid) === started ||
    readProcessMarkers(pid, folder).some((mark) => tree.owns(mark));
  const members = new Map<number, ProcessEntry>();
  for (const one of candidates) if (isMember(one)) members.set(one.pid, one);
  for (let size = -1; size < members.size;) {
    size = members.size;
    for (const one of candidates) if (members.has(one.parent)) members.set(one.pid, one);
  }
  for (const { pid, started } of members.values()) before.set(pid, started);
  return [...members.values()].filter(({ zombie }) => !zombie);
}

/** Whatever the marks and groups say: this program, what it runs under, and init are nobody's command. */
function withAncestors(pid: number, all: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(all.map((one) => [one.pid, one.parent]));
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !line.has(at); at = parents.get(at))
    line.add(at);
  return line;
}

export function signalTree(tree: Tree, signal: string, before?: Map<number, number>): number {
  const members = listGroupMembers(tree, undefined, before);
  for (const { pid } of members) sendSignal(pid, signal);
  return members.length;
}

/** Kills what is there, also while it tries to grow. Answers how many are left, which is 0 unless the system is. */
export async function killTree(tree: Tree, before = new Map<number, number>()): Promise<number> {
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Those that are stopped do not hear of it: a shell that can start nothing would end as it likes.
    if (round > 0) stopGroups(tree);
    const fresh = listGroupMembers(tree, undefined, before).filter(({ pid }) => !stopped.has(pid));
    if (fresh.length === 0) break;
    for (const { pid } of fresh) {
      stopped.add(pid);
      sendSignal(pid, "SIGSTOP");
    }
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    stopGroups(tree);
    if (signalTree(tree, "SIGKILL", before) === 0) return 0;
    await sleep(Math.min(2 * (round + 1), LONGEST_LOOK));
  }
  return listGroupMembers(tree, undefined, before).length;
}

/** TERM, time to end, KILL. Answers how many are left, as {@link killTree} does. */
export async function endTree(tree: Tree, graceMs: number): Promise<number> {
  const before = new Map<number, number>();
  if (graceMs > 0) {
    signalTree(tree, "SIGTERM", before);
    // A stopped process hears of nothing before it goes on.
    signalTree(tree, "SIGCONT", before);
    if (await treeEnds(tree, graceMs, before)) return 0;
  }
  return killTree(tree, before);
}

function stopGroups({ controlGroups = [] }: Tree): void {
  for (const group of controlGroups) group.stop();
}

async function treeEnds(tree: Tree, withinMs: number, before: Map<number, number>): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, LONGEST_LOOK)) {
    if (listGroupMembers(tree, undefined, before).length === 0) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
}

/** Right after a look, so that the pid still means the process that was seen. */
export function sendSignal(pid: number, signal: string): void {
  // Anything else means a group, or everybody.
  if (!(pid > 1)) return;
  // When it has ended in between, or is not ours any more (it became another user), nothing can be done.
  attempt(() => process.kill(pid, signal));
}
