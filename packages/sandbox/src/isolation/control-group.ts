import { attempt } from "@haft/system";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxLimits, SandboxUsage } from "../backend.ts";

export type Controller = "memory" | "pids" | "cpu";

export interface SandboxControlGroup {
  folders: readonly string[];
  controllers: ReadonlySet<Controller>;
  /** A process that writes `0` to each enters the group. For a child, which may be another user. */
  entries(): number[];
  occupied(): boolean;
  ranOutOfMemory(): boolean;
  memoryFiles(): { host: string; inside: string }[];
  remove(): Promise<boolean>;
}

const CGROUPS = "/sys/fs/cgroup";
/** For the runner and bubblewrap, on top of the limit. */
export const RESERVED_TASKS = 16;
const REMOVE_TRIES = 40;
const REMOVE_PAUSE_MS = 10;
const MIB = 1024 * 1024;
const PERIOD_US = 100_000;

const MEMORY_FILES = [
  { name: "memory.events", inside: `${CGROUPS}/memory.events` },
  { name: "memory.max", inside: `${CGROUPS}/memory.max` },
  { name: "memory.oom_control", inside: `${CGROUPS}/memory/memory.oom_control` },
  { name: "memory.limit_in_bytes", inside: `${CGROUPS}/memory/memory.limit_in_bytes` },
];

interface Location {
  parent: string;
  version: 1 | 2;
  controllers: readonly Controller[];
}

/** Without permission, the group limits nothing. */
export function makeControlGroup(name: string, limits: SandboxLimits, root = CGROUPS): SandboxControlGroup {
  const folders: string[] = [];
  const holds = new Set<Controller>();
  for (const { parent, version, controllers } of locations(root)) {
    const wanted = controllers.filter((one) => !holds.has(one));
    if (wanted.length === 0) continue;
    const folder = join(parent, `haft-${name}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    const held = wanted.filter((one) => limit(folder, version, one, limits));
    if (held.length === 0) {
      rmdirSync(folder);
      continue;
    }
    folders.push(folder);
    for (const one of held) holds.add(one);
  }
  return groupOf(folders, holds);
}

export function controlGroupFromFolders(folders: readonly string[]): SandboxControlGroup {
  return groupOf(folders, new Set());
}

function groupOf(folders: readonly string[], holds: ReadonlySet<Controller>): SandboxControlGroup {
  return {
    folders,
    controllers: holds,
    entries: () => {
      const open: number[] = [];
      try {
        for (const folder of folders) open.push(openSync(join(folder, "cgroup.procs"), constants.O_WRONLY));
      } catch (thrown) {
        for (const fd of open) closeSync(fd);
        throw thrown;
      }
      return open;
    },
    occupied: () => folders.every((folder) => textOf(join(folder, "cgroup.procs")) !== ""),
    ranOutOfMemory: () =>
      folders.some((folder) =>
        ["memory.oom_control", "memory.events"].some((file) =>
          /^oom_kill [1-9]/m.test(textOf(join(folder, file))),
        ),
      ),
    memoryFiles: () =>
      holds.has("memory")
        ? folders.flatMap((folder) =>
            MEMORY_FILES.map(({ name, inside }) => ({ host: join(folder, name), inside })).filter(
              ({ host }) => existsSync(host),
            ),
          )
        : [],
    remove: async () => (await Promise.all(folders.map(removeFolder))).every(Boolean),
  };
}

function locations(root: string): Location[] {
  const unified: Location[] = [];
  const old: Location[] = [];
  for (const line of textOf("/proc/self/cgroup").trim().split("\n")) {
    const [, names = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (names !== "") {
      const controllers = names.split(",").filter(isController);
      if (controllers.length === 0) continue;
      const currentGroup = join(root, names, path);
      old.push({
        parent: existsSync(currentGroup) ? currentGroup : join(root, names),
        version: 1,
        controllers,
      });
      continue;
    }
    if (!existsSync(join(root, "cgroup.controllers"))) continue;
    const currentGroup = join(root, path);
    // A group with processes cannot limit groups in it, except the root group.
    for (const parent of path === "/" ? [currentGroup] : [currentGroup, dirname(currentGroup)]) {
      unified.push({ parent, version: 2, controllers: delegated(parent) });
    }
  }
  return [...old, ...unified];
}

function delegated(parent: string): Controller[] {
  const file = join(parent, "cgroup.subtree_control");
  const has = (): string[] => textOf(file).trim().split(" ");
  const missing = ["memory", "pids", "cpu"].filter((one) => !has().includes(one));
  for (const one of missing) attempt(() => writeFileSync(file, `+${one}`));
  return has().filter(isController);
}

function isController(name: string): name is Controller {
  return name === "memory" || name === "pids" || name === "cpu";
}

function limit(folder: string, version: 1 | 2, controller: Controller, limits: SandboxLimits): boolean {
  const bytes = String(Math.floor(limits.memoryMb * MIB));
  const quota = String(Math.max(1000, Math.floor(limits.cpus * PERIOD_US)));
  const set = (file: string, value: string): boolean =>
    attempt(() => {
      writeFileSync(join(folder, file), value, { flag: "r+" });
      return true;
    }) ?? false;
  switch (controller) {
    case "pids":
      return set("pids.max", String(limits.tasks + RESERVED_TASKS));
    case "memory": {
      const held = set(version === 1 ? "memory.limit_in_bytes" : "memory.max", bytes);
      // Swap must not double the limit.
      if (version === 1) set("memory.memsw.limit_in_bytes", bytes);
      else set("memory.swap.max", "0");
      // Version 2 counts socket data with the rest.
      if (version === 1) set("memory.kmem.tcp.limit_in_bytes", bytes);
      return held;
    }
    case "cpu":
      if (limits.cpus === 0) return false;
      if (version === 2) return set("cpu.max", `${quota} ${PERIOD_US}`);
      return set("cpu.cfs_period_us", String(PERIOD_US)) && set("cpu.cfs_quota_us", quota);
  }
}

/** The kernel takes a moment to notice that a group is empty. */
async function removeFolder(folder: string): Promise<boolean> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    try {
      rmdirSync(folder);
      return true;
    } catch {
      if (!existsSync(folder)) return true;
      await sleep(REMOVE_PAUSE_MS);
    }
  }
  return false;
}

function textOf(path: string): string {
  return attempt(() => readFileSync(path, "utf8")) ?? "";
}

/** At the start of Node on Linux; less on other systems. */
export const NODE_RESERVES_MB = 768;
/** Units of `ulimit -f`. */
const BLOCKS_PER_MB = 2048;

/** Enters the group, drops rights and becomes `"$@"`. `entries`: one-digit descriptors. */
export function buildLimitedStartScript(
  limits: SandboxLimits,
  group: Pick<SandboxControlGroup, "controllers">,
  entries: readonly number[],
): string {
  // Per process, on top of Node's reservation.
  const memory = `ulimit -d ${Math.floor((limits.memoryMb + NODE_RESERVES_MB) * 1024)}`;
  return [
    // `0`: the writing process. Kernels before 5.16 check the writer's rights.
    ...entries.map((fd) => `echo 0 >&${fd} || ${memory}; exec ${fd}>&-`),
    "ulimit -c 0",
    `ulimit -f ${Math.max(1, Math.floor(limits.fileMb * BLOCKS_PER_MB))}`,
    ...(group.controllers.has("memory") ? [] : [memory]),
    'exec "$@"',
  ].join("; ");
}

const KIB = 1024;
const TMPFS = 0x01_02_19_94;

export function readGroupUsage(folders: readonly string[]): SandboxUsage {
  const first = (names: readonly string[], read: (text: string) => number) => {
    for (const folder of folders)
      for (const name of names) {
        const value = read(attempt(() => readFileSync(join(folder, name), "latin1")) ?? "");
        if (Number.isFinite(value)) return value;
      }
    return undefined;
  };
  const plain = (text: string) => (text === "" ? Number.NaN : Number(text));
  const memoryBytes = first(["memory.current", "memory.usage_in_bytes"], plain);
  const tasks = first(["pids.current"], plain);
  return { ...(memoryBytes !== undefined && { memoryBytes }), ...(tasks !== undefined && { tasks }) };
}

export function readTmpUsage(pid: number, tmpMb: number): SandboxUsage {
  const found = attempt(() => statfsSync(`/proc/${pid}/root/tmp`));
  if (found === undefined || found.type !== TMPFS) return {};
  // Another size means the host's `/tmp`.
  if (Math.abs(found.blocks * found.bsize - tmpMb * KIB * KIB) > found.bsize) return {};
  return { tmpBytes: (found.blocks - found.bfree) * found.bsize };
}
