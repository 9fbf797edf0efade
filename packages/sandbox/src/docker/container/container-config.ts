import { attempt, getOwnerStatus, getCurrentOwner } from "@haft/system";
import { readdirSync, readFileSync } from "node:fs";
import { normalize } from "node:path";
import type { SandboxMount, SandboxRef, SandboxSpec } from "../../backend.ts";
import { dockerError } from "../../errors.ts";
import { checkUser, workspaceOwner } from "../../isolation/identity.ts";
import { resolveLifetime } from "../../launch/resolve-lifetime.ts";
import { hashSandboxValue, sandboxKey } from "../../launch/sandbox-ref.ts";
import { CONTAINER_WORKSPACE_PATH } from "./check-mounts.ts";
import type { EngineCapabilities } from "./read-only-mounts.ts";
import type { RunnerStart } from "./runner-start.ts";

const MIB = 1024 * 1024;
const MAX_FILES = 16_384;
export const LABEL = "haft";
export const HAFT_LABEL_VALUE = "1";
export const KEY_LABEL = "haft.key";
export const HOST_LABEL = "haft.host";

const RUNNER_ENVIRONMENT = ["HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8", "USER=haft", "LOGNAME=haft"];

/** Used if the containers are on another machine. */
const SYS_FOLDERS = "block bus class dev devices firmware hypervisor kernel module power";
const FILE_SYSTEMS = "bpf btrfs erofs ext4 f2fs fuse nfs overlay pstore resctrl selinux smackfs tmpfs xfs";

/** Paths to mask for root, in addition to Docker's own list. */
const kernelFiles = () => ({
  MaskedPaths: [
    ...`acpi asound buddyinfo dynamic_debug interrupts iomem ioports kallsyms kcore key-users keys kmsg kpagecgroup
      kpagecount kpageflags latency_stats modules pagetypeinfo pressure sched_debug schedstat scsi slabinfo
      timer_list timer_stats vmallocinfo zoneinfo`
      .split(/\s+/)
      .map((name) => `/proc/${name}`),
    // Reading some of these files has effects.
    ...namesIn("/sys", SYS_FOLDERS, "fs").map((name) => `/sys/${name}`),
    ...namesIn("/sys/fs", FILE_SYSTEMS, "cgroup").map((name) => `/sys/fs/${name}`),
  ],
  ReadonlyPaths: [
    "/dev",
    ...["bus", "driver", "fs", "irq", "mtrr", "sys", "sysrq-trigger"].map((name) => `/proc/${name}`),
  ],
});

function namesIn(folder: string, known: string, but: string): string[] {
  const here = attempt(() => readdirSync(folder)) ?? [];
  return [...new Set([...known.split(" "), ...here])].filter((name) => name !== but).toSorted();
}

export interface ContainerSettings {
  spec: SandboxSpec;
  mounts: readonly SandboxMount[];
  system: readonly { source: string; target: string }[];
  engine: Pick<EngineCapabilities, "readOnlyMode" | "isPodman" | "rootless">;
  image: string;
  volumes: readonly string[];
  createdAt: number;
  command: readonly string[];
  /** Text or file of the system call filter. Undefined: the Engine's own. */
  profile: string | undefined;
  start: RunnerStart;
}

export function hashSpec(spec: SandboxSpec, image: string): string {
  const { maskedSockets: _ofThisMoment, ...lasting } = spec;
  const lifetime = spec.lifetime === "tethered" ? spec.lifetime : resolveLifetime(spec.lifetime);
  return hashSandboxValue([{ ...lasting, lifetime, ...hashedPaths(spec) }, image]);
}

/** Writing to a protected file changes its identity, but must not change the hash. */
function hashedPaths({ protectedPaths }: SandboxSpec): object {
  return protectedPaths === undefined
    ? {}
    : { held: protectedPaths.map(({ path, access }) => [path, access]) };
}

export function containerConfig(settings: ContainerSettings): Record<string, unknown> {
  const { spec, mounts, system, image, command, start, profile } = settings;
  const { limits, lifetime, network } = spec;
  checkUser(spec.user, dockerError);
  const { readOnlyMode, isPodman, rootless } = settings.engine;
  const owner = spec.user ?? workspaceOwner({ ...spec, mounts });
  // In a rootless Engine, its owner is uid 0.
  const isOwner = rootless && owner.uid === process.getuid?.();
  const { uid, gid } = isOwner && !isPodman ? { uid: 0, gid: 0 } : owner;
  const tethered = lifetime === "tethered";
  const covered = kernelFiles();
  const memory = Math.floor(limits.memoryMb * MIB);
  const tmpfsOptions = (mode: number): string => {
    const more = `rw,nosuid,nodev,exec,size=${Math.floor(limits.tmpMb * MIB)}`;
    // Podman accepts no owner, and would copy the mode of the image's folder.
    return isPodman
      ? `${more},mode=1777,notmpcopyup`
      : `${more},mode=${mode.toString(8)},uid=${uid},gid=${gid}`;
  };
  const onlyRead = readOnlyMode === "recursive" ? { ReadOnlyForceRecursive: true } : { NonRecursive: true };
  const bind = (Source: string, Target: string, ReadOnly: boolean): object => ({
    Type: "bind",
    Source,
    Target,
    ReadOnly,
    // Hides later mounts of the host.
    BindOptions: { Propagation: "rprivate", ...(ReadOnly ? onlyRead : {}) },
  });
  return {
    Image: image,
    Hostname: "sandbox",
    User: `${uid}:${gid}`,
    Env: RUNNER_ENVIRONMENT,
    Entrypoint: [],
    Cmd: [...start.init, ...command],
    WorkingDir: CONTAINER_WORKSPACE_PATH,
    Tty: false,
    OpenStdin: tethered,
    // The host's death closes stdin, which ends the runner and the container.
    StdinOnce: tethered,
    AttachStdin: tethered,
    AttachStdout: tethered,
    AttachStderr: tethered,
    NetworkDisabled: network !== "full",
    Labels: labelsOf(settings),
    HostConfig: {
      AutoRemove: true,
      Init: start.init.length === 0,
      NetworkMode: network === "full" ? "bridge" : "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: [
        "no-new-privileges",
        ...(profile === undefined ? [] : [`seccomp=${profile}`]),
        ...(isPodman ? [`mask=${covered.MaskedPaths.join(":")}`] : []),
      ],
      Privileged: false,
      ...(isOwner && isPodman ? { UsernsMode: "keep-id" } : {}),
      IpcMode: "private",
      ShmSize: Math.floor(limits.tmpMb * MIB),
      PidsLimit: limits.tasks,
      Memory: memory,
      MemorySwap: memory,
      ...(limits.cpus > 0 ? { NanoCpus: Math.round(limits.cpus * 1e9) } : {}),
      Ulimits: [
        { Name: "nofile", Soft: MAX_FILES, Hard: MAX_FILES },
        { Name: "fsize", Soft: Math.floor(limits.fileMb * MIB), Hard: Math.floor(limits.fileMb * MIB) },
        { Name: "core", Soft: 0, Hard: 0 },
        ...(isPodman ? ofUser() : []),
      ],
      ...covered,
      Tmpfs: {
        "/tmp": tmpfsOptions(0o1777),
        // Podman would mount these without a size.
        ...(isPodman ? { "/run": tmpfsOptions(0o755), "/var/tmp": tmpfsOptions(0o1777) } : {}),
        ...(spec.workspace === "none" ? { [CONTAINER_WORKSPACE_PATH]: tmpfsOptions(0o700) } : {}),
      },
      Mounts: [
        ...[...mounts, ...(spec.protectedPaths ?? [])].map(({ hostPath, path, access }) =>
          bind(hostPath, path, access !== "rw"),
        ),
        ...[...system, ...start.system].map(({ source, target }) => bind(source, target, true)),
        ...(spec.maskedSockets ?? []).map(({ path }) => bind("/dev/null", path, true)),
        ...inMemory(settings),
      ],
      // Otherwise Docker stores the runner's output on disk.
      LogConfig: { Type: "none" },
    },
  };
}

/** Podman's own limit needs capabilities of root. `pid_max` is no restriction. */
function ofUser(): object[] {
  const limits = attempt(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const [, userLimit] = /^Max processes +\S+ +(\d+)/m.exec(limits) ?? [];
  const numbers = attempt(() => readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  const most = Math.min(Number(userLimit ?? Number.NaN), Number(numbers ?? Number.NaN));
  return Number.isNaN(most) ? [] : [{ Name: "nproc", Soft: most, Hard: most }];
}

function inMemory({ volumes, mounts, spec, system }: ContainerSettings): object[] {
  const taken = [
    "/tmp",
    CONTAINER_WORKSPACE_PATH,
    ...[...mounts, ...(spec.protectedPaths ?? [])].map(({ path }) => path),
    ...system.map(({ target }) => target),
  ];
  const free = volumes.map((path) => normalize(path)).filter((path) => !taken.includes(path));
  return free.map((Target) => ({
    Type: "tmpfs",
    Target,
    TmpfsOptions: { SizeBytes: Math.floor(spec.limits.tmpMb * MIB), Mode: 0o1777 },
  }));
}

function labelsOf({ spec, image, createdAt, start }: ContainerSettings): Record<string, string> {
  const { scope, lifetime } = spec;
  return {
    [LABEL]: HAFT_LABEL_VALUE,
    [KEY_LABEL]: sandboxKey(spec),
    "haft.scope": scope,
    "haft.spec": hashSpec(spec, image),
    "haft.runner": start.runner,
    "haft.created": String(createdAt),
    [HOST_LABEL]: formatHostId(),
    ...(lifetime === "tethered"
      ? {}
      : { "haft.detached": "1", "haft.until": String(createdAt + resolveLifetime(lifetime).maxAgeMs) }),
  };
}

export interface ListedContainer {
  Id: string;
  State: string;
  Created: number;
  Labels: Record<string, string>;
}

export function toSandboxRef({ Id, State, Created, Labels }: ListedContainer): SandboxRef {
  const scope = Labels["haft.scope"];
  return {
    backend: "docker",
    id: Id,
    key: Labels[KEY_LABEL] ?? "",
    scope: scope === "agent" || scope === "shared" ? scope : "session",
    specHash: Labels["haft.spec"] ?? "",
    createdAt: Number(Labels["haft.created"] ?? Created * 1000),
    state: State === "running" ? "running" : "stopped",
    detached: Labels["haft.detached"] === "1",
  };
}

export function formatHostId(): string {
  const { space, pid, started } = getCurrentOwner();
  return `${space} ${pid} ${started}`;
}

export function isHostGone(mark: string): boolean {
  const [space = "", pid, started] = mark.split(" ");
  return getOwnerStatus({ space, pid: Number(pid), started: Number(started) }) === "gone";
}
