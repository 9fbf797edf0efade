import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../system/attempt.ts";

/** A limit on how many processes and threads there can be at once, held by the kernel. */
export interface TaskLimit {
  /** For a shell, which becomes its arguments; {@link value} is its name. */
  script: string;
  value: string;
  /** Is the program, now that it runs, counted by itself? Otherwise all tasks of its user count, and none of root's. */
  holds(): boolean;
  /** When nothing of it runs any more. */
  remove(): Promise<void>;
}

const CGROUPS = "/sys/fs/cgroup";
/** The kernel takes a moment to notice that a group is empty. */
const REMOVE_TRIES = 20;
const REMOVE_PAUSE_MS = 25;

/** Keeps a fork bomb from taking the machine with it: by a control group of its own, where this user may make one. */
export function limitTasks(max: number, name: string): TaskLimit {
  for (const parent of parentGroups()) {
    const group = groupName(parent, name);
    const members = join(group, "cgroup.procs");
    if (!makeGroup(group, max)) continue;
    return {
      script: 'echo $$ >"$0" 2>/dev/null; exec "$@"',
      value: members,
      holds: () => readFileSync(members, "utf8") !== "",
      remove: () => removeGroup(group),
    };
  }
  // Some shells call it -u, others -p.
  const script = 'ulimit -Su "$0" 2>/dev/null || ulimit -Sp "$0" 2>/dev/null; exec "$@"';
  return { script, value: String(max), holds: () => false, remove: async () => {} };
}

/** Removes what a program that was killed could not. */
export function forgetTaskLimit(name: string): void {
  for (const parent of parentGroups()) void removeGroup(groupName(parent, name));
}

function groupName(parent: string, name: string): string {
  return join(parent, `haft-${name}`);
}

/** Where this program could make a group: in its own one, or beside it. Both versions of control groups. */
function parentGroups(): string[] {
  const text = attempt(() => readFileSync("/proc/self/cgroup", "utf8").trim());
  return (text?.split("\n") ?? []).flatMap((line) => {
    const [, controllers, path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === "pids") return [join(CGROUPS, "pids", path)];
    if (controllers !== "") return [];
    const unified = join(CGROUPS, "unified");
    const own = join(existsSync(unified) ? unified : CGROUPS, path);
    return path === "/" ? [own] : [own, dirname(own)];
  });
}

function makeGroup(group: string, max: number): boolean {
  try {
    mkdirSync(group);
  } catch {
    return false;
  }
  try {
    // Not there when tasks are not counted in this place.
    readFileSync(join(group, "pids.max"));
    writeFileSync(join(group, "pids.max"), String(max));
    return true;
  } catch {
    void removeGroup(group);
    return false;
  }
}

async function removeGroup(group: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES && existsSync(group); tries++) {
    try {
      rmdirSync(group);
    } catch {
      await sleep(REMOVE_PAUSE_MS);
    }
  }
}
