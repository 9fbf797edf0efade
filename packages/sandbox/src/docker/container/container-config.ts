import { attempt, getOwnerStatus, getCurrentOwner } from "@haft/system";
import { readdirSync, readFileSync } from "node:fs";
import { normalize } from "node:path";
import type { SandboxMount, SandboxRef, SandboxSpec } from "../../backend.ts";
import { dockerError } from "../../errors.ts";
import { checkUser, workspaceOwner } from "../../isolation/identity.ts";
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

/** Besides what the image sets, its PATH above all. Commands get theirs from the host. */
const RUNNER_ENVIRONMENT = ["HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8", "USER=haft", "LOGNAME=haft"];

/** In `/sys` and in `/sys/fs`, where this machine is not the one that has the containers. */
const SYS_FOLDERS = "block bus class dev devices firmware hypervisor kernel module power";
const FILE_SYSTEMS = "bpf btrfs erofs ext4 f2fs fuse nfs overlay pstore resctrl selinux smackfs tmpfs xfs";

/**
 * Of a container whose user is root, because its workspace is: what root owns could be opened without any capability.
 * All that Docker covers by itself, and more.
 */
const kernelFiles = () => ({
  MaskedPaths: [
    ...`acpi asound buddyinfo dynamic_debug interrupts iomem ioports kallsyms kcore key-users keys kmsg kpagecgroup
      kpagecount kpageflags latency_stats modules pagetypeinfo pressure sched_debug schedstat scsi slabinfo
      timer_list timer_stats vmallocinfo zoneinfo`
      .split(/\s+/)
      .map((name) => `/proc/${name}`),
    // All but what says how much memory there is. Who is root by number could open the rest, and some of it acts when read.
    ...namesIn("/sys", SYS_FOLDERS, "fs").map((name) => `/sys/${name}`),
    ...namesIn("/sys/fs", FILE_SYSTEMS, "cgroup").map((name) => `/sys/fs/${name}`),
  ],
  // What is mounted in /dev stays as it is, and so do devices.
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
  /** By its id, where it has a tag that somebody may move. */
  image: string;
  volumes: readonly string[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  command: readonly string[];
  /** Of system calls: its text, or the path of its file; the Engine's own when there is none for this machine. */
  profile: string | undefined;
  start: RunnerStart;
}

export function hashSpec(spec: SandboxSpec, image: string): string {
  const { maskedSockets: _ofThisMoment, ...lasting } = spec;
  return hashSandboxValue([{ ...lasting, ...heldPlaces(spec) }, image]);
}

/** Files that are held get other identities when they are written; that does not make it another sandbox. */
function heldPlaces({ protectedPaths }: SandboxSpec): object {
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
  // Who an Engine without root belongs to is root in it, and only by number.
  const isOwn = rootless && owner.uid === process.getuid?.();
  const { uid, gid } = isOwn && !isPodman ? { uid: 0, gid: 0 } : owner;
  const tethered = lifetime === "tethered";
  const covered = kernelFiles();
  const memory = Math.floor(limits.memoryMb * MIB);
  const own = (mode: number): string => {
    const more = `rw,nosuid,nodev,exec,size=${Math.floor(limits.tmpMb * MIB)}`;
    // Podman takes no owner, so it is for everybody, and would give it the mode that the image's own has.
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
    // What is mounted on the host later is not seen inside.
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
    // The death of the host closes it, which ends the runner and with it the container.
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
      // The same number inside as here.
      ...(isOwn && isPodman ? { UsernsMode: "keep-id" } : {}),
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
        // Owned by the user, because it gets the mode that the image's own has.
        "/tmp": own(0o1777),
        // It would mount these without a size.
        ...(isPodman ? { "/run": own(0o755), "/var/tmp": own(0o1777) } : {}),
        ...(spec.workspace === "none" ? { [CONTAINER_WORKSPACE_PATH]: own(0o700) } : {}),
      },
      Mounts: [
        ...[...mounts, ...(spec.protectedPaths ?? [])].map(({ hostPath, path, access }) =>
          bind(hostPath, path, access !== "rw"),
        ),
        ...[...system, ...start.system].map(({ source, target }) => bind(source, target, true)),
        ...(spec.maskedSockets ?? []).map(({ path }) => bind("/dev/null", path, true)),
        ...inMemory(settings),
      ],
      // Nobody reads it; without, the output of the runner would be written to disk.
      LogConfig: { Type: "none" },
    },
  };
}

/** Podman's own limit, a million, takes capabilities of root. More than there are process numbers is none. */
function ofUser(): object[] {
  const limits = attempt(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const [, own] = /^Max processes +\S+ +(\d+)/m.exec(limits) ?? [];
  const numbers = attempt(() => readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  const most = Math.min(Number(own ?? Number.NaN), Number(numbers ?? Number.NaN));
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
      : { "haft.detached": "1", "haft.until": String(createdAt + lifetime.maxAgeMs) }),
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

/** Names this process to other hosts: where its number means something, the number, and when it started. */
export function formatHostId(): string {
  const { space, pid, started } = getCurrentOwner();
  return `${space} ${pid} ${started}`;
}

/** Only for a host whose process is certainly gone: nothing is known of other machines and containers. */
export function isHostGone(mark: string): boolean {
  const [space = "", pid, started] = mark.split(" ");
  return getOwnerStatus({ space, pid: Number(pid), started: Number(started) }) === "gone";
}
