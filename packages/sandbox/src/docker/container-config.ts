import { statSync } from "node:fs";
import { hostname } from "node:os";
import type { Mount } from "@haft/core";
import type { SandboxRef, SandboxSpec } from "../backend.ts";
import { HOST_USR_BINDS } from "./host-usr-image.ts";
import { HOST_USR, unsupported } from "./failures.ts";

const WORKSPACE = "/workspace";
const MIB = 1024 * 1024;
/** Where Haft's own files lie inside. */
export const NODE_INSIDE = "/opt/haft/node";
export const PROGRAM_INSIDE = "/opt/haft/runner.js";

/** Whoever commands run as when the workspace is nobody's in particular. */
const NOBODY_IN_PARTICULAR = { uid: 1000, gid: 1000 };

/** Holding one of these is holding the machine. What lies in one of them is another matter. */
const NEVER_MOUNTED = [
  "/",
  "/boot",
  "/dev",
  "/etc",
  "/proc",
  "/root",
  "/run",
  "/sys",
  "/usr",
  "/var",
  "/var/run",
];

export interface ContainerPlan {
  config: object;
  mounts: readonly Mount[];
}

export interface PlanOptions {
  spec: SandboxSpec;
  image: string;
  ref: Omit<SandboxRef, "id">;
  command: readonly string[];
  node: string;
  program: string;
  socketPath: string;
}

/** The container as the Engine is asked for it: nothing that was not asked for, and no way up. */
export function planContainer(options: PlanOptions): ContainerPlan {
  const { spec, image, ref, command } = options;
  for (const { hostPath } of spec.mounts) checkMount(hostPath, options.socketPath);
  const own = spec.mounts.find(({ name }) => name === "");
  const { uid, gid } = spec.user ?? (own === undefined ? NOBODY_IN_PARTICULAR : statSync(own.hostPath));
  const mounts: Mount[] = spec.mounts.map(({ name, path, access }) => ({ name, path, access }));
  if (own === undefined) mounts.unshift({ name: "", path: WORKSPACE, access: "rw" });
  const { limits } = spec;
  const tmpfs = `rw,exec,nosuid,nodev,size=${limits.tmpMb * MIB}`;
  const config = {
    Image: image,
    Entrypoint: [...command],
    Cmd: [],
    User: `${uid}:${gid}`,
    WorkingDir: WORKSPACE,
    Env: ["HOME=/tmp", ...Object.entries(spec.env).map(([name, value]) => `${name}=${value}`)],
    Hostname: "sandbox",
    Labels: labelsOf(ref),
    OpenStdin: true,
    // The end of the host is the end of its input, and that of the runner.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    NetworkDisabled: spec.network === "none",
    HostConfig: {
      AutoRemove: true,
      Init: true,
      NetworkMode: spec.network === "none" ? "none" : "host",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      IpcMode: "private",
      Privileged: false,
      Memory: limits.memoryMb * MIB,
      MemorySwap: limits.memoryMb * MIB,
      PidsLimit: limits.tasks,
      ...(limits.cpus > 0 ? { NanoCpus: Math.round(limits.cpus * 1e9) } : {}),
      Ulimits: [
        { Name: "core", Soft: 0, Hard: 0 },
        { Name: "fsize", Soft: limits.fileMb * MIB, Hard: limits.fileMb * MIB },
        { Name: "nofile", Soft: 4_096, Hard: 4_096 },
      ],
      Tmpfs: {
        "/tmp": `${tmpfs},mode=1777`,
        ...(own === undefined ? { [WORKSPACE]: `${tmpfs},mode=0700,uid=${uid},gid=${gid}` } : {}),
      },
      Mounts: [
        bind(options.program, PROGRAM_INSIDE, "ro"),
        ...(command[0] === NODE_INSIDE ? [bind(options.node, NODE_INSIDE, "ro")] : []),
        ...(image === HOST_USR ? HOST_USR_BINDS.map((path) => bind(path, path, "ro")) : []),
        ...spec.mounts.map(({ hostPath, path, access }) => bind(hostPath, path, access)),
      ],
    },
  };
  return { config, mounts };
}

function bind(source: string, target: string, access: "ro" | "rw"): object {
  return {
    Type: "bind",
    Source: source,
    Target: target,
    ReadOnly: access === "ro",
    // What the host mounts later does not appear inside.
    BindOptions: { Propagation: "rprivate" },
  };
}

function checkMount(hostPath: string, socketPath: string): void {
  const folder = hostPath.replace(/\/+$/, "") || "/";
  if (!NEVER_MOUNTED.includes(folder) && !`${socketPath}/`.startsWith(`${folder}/`)) return;
  throw unsupported(
    `${folder} would be mounted, and whoever holds it holds the machine`,
    "Mount the folder that is worked in, and no more.",
  );
}

const LABEL = "haft.sandbox";

function labelsOf({ key, scope, specHash, createdAt }: Omit<SandboxRef, "id">): Record<string, string> {
  return {
    [LABEL]: "1",
    [`${LABEL}.key`]: key,
    [`${LABEL}.scope`]: scope,
    [`${LABEL}.spec`]: specHash,
    [`${LABEL}.created`]: String(createdAt),
    [`${LABEL}.host`]: `${hostname()}:${process.pid}`,
  };
}

/** For lists: those of Haft, of any host. */
export const LABEL_FILTER = encodeURIComponent(JSON.stringify({ label: [LABEL] }));

export function refOf(id: string, labels: Readonly<Record<string, string>>, state: string): SandboxRef {
  return {
    backend: "docker",
    id,
    key: labels[`${LABEL}.key`] ?? "",
    scope: (labels[`${LABEL}.scope`] ?? "session") as SandboxRef["scope"],
    specHash: labels[`${LABEL}.spec`] ?? "",
    createdAt: Number(labels[`${LABEL}.created`] ?? 0),
    state: state === "running" ? "running" : "stopped",
    detached: false,
  };
}
