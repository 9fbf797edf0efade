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

/** Limits the scans of a growing tree. A fork bomb is stopped first. */
const MAX_ROUNDS = 50;
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 200;

/**
 * Returns living processes in the tree's control groups, in groups and sessions of its leaders, with its mark, and descendants. A group
 * counts only while its leader exists, because pids are reused. `before`: members of earlier scans, and then of this scan.
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
  // Read last, so that these pids are current.
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

/** This program, its parents and init are never members. */
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

/** Also kills a growing tree. Returns the number of survivors, normally 0. */
export async function killTree(tree: Tree, before = new Map<number, number>()): Promise<number> {
  const stopped = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Only stopped processes do not notice it: a shell that can start no process might exit.
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
    await sleep(Math.min(2 * (round + 1), LONGEST_PAUSE));
  }
  return listGroupMembers(tree, undefined, before).length;
}

export async function endTree(tree: Tree, graceMs: number): Promise<number> {
  const before = new Map<number, number>();
  if (graceMs > 0) {
    signalTree(tree, "SIGTERM", before);
    // A stopped process receives signals only after it continues.
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
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    if (listGroupMembers(tree, undefined, before).length === 0) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
}

/** Must directly follow a scan, so that the pid is current. */
export function sendSignal(pid: number, signal: string): void {
  // Other values name a group, or all processes.
  if (!(pid > 1)) return;
  // The process may have ended or changed its user.
  attempt(() => process.kill(pid, signal));
}
