import { attempt, isWithin, readRegularFile } from "@haft/system";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ControlGroup } from "../run/groups/control-group.ts";
import type { SpawnerOptions } from "../run/process-spawner.ts";

export interface SessionGroup {
  argv: readonly string[];
  folder: string | undefined;
  /** Otherwise the limit counts all tasks of the user, and does not bind root. Known after the start. */
  limitsTasks(): boolean;
  remove(): Promise<void>;
}

type Run = Pick<SpawnerOptions, "runId" | "folder">;

const CGROUPS = "/sys/fs/cgroup";
const GROUP_FILE = "control-group";
const LONGEST_PATH = 4096;
/** The kernel needs a moment to notice that a group is empty. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 25;

const ENTER = 'echo $$ >"$0" 2>/dev/null; ';
/** Some shells call the limit -u, others -p. */
const LIMIT = 'ulimit -Su "$1" 2>/dev/null || ulimit -Sp "$1" 2>/dev/null; ';
const BECOME = 'shift; exec "$@"';

/** Limits tasks, against fork bombs. Without `counted`, a group that can end its processes suffices. */
export function openSessionGroup(run: Run, maxTasks: number, counted: boolean): SessionGroup {
  for (const limit of counted ? [maxTasks] : [maxTasks, undefined]) {
    for (const parent of parentGroups()) {
      const group = new ControlGroup(groupName(parent, run));
      if (!make(group, limit)) continue;
      attempt(() => writeFileSync(join(run.folder, GROUP_FILE), group.folder, { mode: 0o600 }));
      const script = limit === undefined ? ENTER + LIMIT + BECOME : ENTER + BECOME;
      return {
        argv: ["-c", script, join(group.folder, "cgroup.procs"), String(maxTasks)],
        folder: group.folder,
        limitsTasks: () => limit !== undefined && group.members().length > 0,
        remove: () => removeGroup(group),
      };
    }
  }
  const argv = ["-c", LIMIT + BECOME, "sh", String(maxTasks)];
  return { argv, folder: undefined, limitsTasks: () => false, remove: async () => {} };
}

export async function prepareGroup(): Promise<void> {
  const [folder] = parentGroups();
  if (folder === undefined) return;
  const [path, pid] = [join(folder, "cgroup.procs"), String(process.pid)];
  try {
    // A container may see other groups than its reported path.
    const members = await readFile(path, "utf8");
    if (members.split("\n").includes(pid)) await writeFile(path, pid, { flag: "r+" });
  } catch {
    // Without write access there is no group.
  }
}

export function hasCommandGroups({ folder }: SessionGroup): boolean {
  const entries = folder === undefined ? [] : readdirSync(folder, { withFileTypes: true });
  return entries.some((one) => one.isDirectory());
}

export function findLeftoverGroups(run: Run): ControlGroup[] {
  // Commands may be able to write this file. They can name only a group with the name of this run.
  const file = join(run.folder, GROUP_FILE);
  const written = attempt(() => readRegularFile(file, { maxBytes: LONGEST_PATH }).toString("utf8")) ?? "";
  const isOurs = isWithin(written, CGROUPS) && normalize(written) === written;
  const noted = isOurs && basename(written) === groupName("", run) ? [written] : [];
  const near = parentGroups().map((parent) => groupName(parent, run));
  return [...new Set([...noted, ...near])].filter(existsSync).map((folder) => new ControlGroup(folder));
}

export async function removeGroup(group: ControlGroup): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES && !group.remove(); tries++) await sleep(REMOVE_PAUSE_MS);
}

function groupName(parent: string, { runId }: Run): string {
  return join(parent, `haft-${runId}`);
}

function parentGroups(): string[] {
  const text = attempt(() => readFileSync("/proc/self/cgroup", "utf8").trim());
  return (text?.split("\n") ?? []).flatMap((line) => {
    const [, controllers, path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === "pids") return [join(CGROUPS, "pids", path)];
    if (controllers !== "") return [];
    const unified = join(CGROUPS, "unified");
    const current = join(existsSync(unified) ? unified : CGROUPS, path);
    return path === "/" ? [current] : [current, dirname(current)];
  });
}

function make(group: ControlGroup, limit: number | undefined): boolean {
  try {
    mkdirSync(group.folder);
  } catch {
    return false;
  }
  try {
    // The file is missing if this system does not count tasks.
    if (limit !== undefined) writeFileSync(join(group.folder, "pids.max"), String(limit), { flag: "r+" });
    if (limit !== undefined || group.canBeEnded) return true;
  } catch {
    // The group is unusable.
  }
  group.remove();
  return false;
}
