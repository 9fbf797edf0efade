import type { Mount } from "@haft/core";
import type { SandboxFacts } from "@haft/core/internal";
import type { Duplex } from "node:stream";

/**
 * Who shares a sandbox: one session, all sessions of an agent, or all sessions of a host.
 *
 * @example
 * ```ts
 * import type { SandboxScope } from "@haft/sandbox";
 * const scope: SandboxScope = "agent";
 * ```
 */
export type SandboxScope = "session" | "agent" | "shared";

/**
 * Limits of a sandbox. A limit that a backend cannot enforce is refused or reported by its probe, never ignored.
 *
 * @example
 * ```ts
 * import type { SandboxLimits } from "@haft/sandbox";
 * const limits: SandboxLimits = { memoryMb: 2_048, tasks: 512, cpus: 2, fileMb: 1_024, tmpMb: 256 };
 * ```
 */
export interface SandboxLimits {
  /** Memory of all processes, in MiB. Default 1,024. */
  memoryMb: number;
  /** Number of processes and threads. Default 512. */
  tasks: number;
  /** Number of processors; may be a fraction. Default 0: no limit. */
  cpus: number;
  /** Size of the largest file that can be written, in MiB. Default 1,024. */
  fileMb: number;
  /** Size of the private `/tmp`, in MiB. Default 256. */
  tmpMb: number;
}

/**
 * A folder of the host that is mounted in a sandbox.
 *
 * @example
 * ```ts
 * import type { SandboxMount } from "@haft/sandbox";
 * const mount: SandboxMount = { name: "docs", hostPath: "/srv/docs", path: "/docs", access: "ro" };
 * ```
 */
export interface SandboxMount {
  /** Name of the mount. `""` is the workspace; others are addressed as `name:path`. */
  name: string;
  /** Absolute path on the host. */
  hostPath: string;
  /** Absolute path inside. */
  path: string;
  /** Whether commands may write there. */
  access: "ro" | "rw";
  /**
   * Device and inode of the folder that was checked, as `dev:ino`. `hostPath` is then its real path, and only that folder is
   * mounted, or none. If it is absent, `openSandbox` determines it first.
   */
  identity?: string;
}

/**
 * A file or folder in a writable mount that is mounted over itself to protect it.
 *
 * @example
 * ```ts
 * import type { ProtectedPath } from "@haft/sandbox";
 * const readOnly = (paths: readonly ProtectedPath[]) => paths.filter(({ access }) => access === "ro").map(({ path }) => path);
 * ```
 */
export interface ProtectedPath {
  /** Absolute real path on the host. */
  hostPath: string;
  /** Absolute path inside. */
  path: string;
  /** `ro`: commands cannot change it. `rw`: commands can change it, and cannot move it. */
  access: "ro" | "rw";
  /** Device and inode, as in {@link SandboxMount.identity}. */
  identity: string;
}

/** A unix socket or FIFO of the host in a mount. An empty file is mounted over it, so that commands cannot reach it. */
export interface MaskedSocket {
  /** Absolute real path on the host. */
  hostPath: string;
  /** Absolute path inside. */
  path: string;
  /** Identity of the file, as `dev:ino:birth`: a removed file's inode number is used again. */
  identity: string;
}

/**
 * Specification of a sandbox. It is plain JSON, so that it can be hashed, compared and labelled.
 *
 * @example
 * ```ts
 * import type { SandboxSpec } from "@haft/sandbox";
 * const spec: SandboxSpec = {
 *   key: "chat-42",
 *   scope: "session",
 *   workspace: "rw",
 *   mounts: [{ name: "", hostPath: "/srv/chats/42", path: "/workspace", access: "rw" }],
 *   env: { CI: "1" },
 *   network: "none",
 *   limits: { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 },
 *   lifetime: "tethered",
 * };
 * ```
 */
export interface SandboxSpec {
  /** Identity within the scope: a session key, an agent id. The sandbox is named by a hash of it, see `sandboxKey`. */
  key: string;
  /** Who shares the sandbox. */
  scope: SandboxScope;
  /** Access to the workspace. `none`: nothing is mounted, and the workspace is a private folder that ends with the sandbox. */
  workspace: "none" | "ro" | "rw";
  /** Folders of the host that are mounted, including the workspace unless its access is `none`. */
  mounts: readonly SandboxMount[];
  /**
   * Protected paths, the outer ones first. A backend refuses those that it cannot protect. `openSandbox` sets them at each
   * opening.
   */
  protectedPaths?: readonly ProtectedPath[];
  /**
   * Sockets and FIFOs of the host that commands cannot reach. A backend refuses those that it cannot cover. `openSandbox` sets
   * them at each opening, if a mount is read-only or the network is not `full`.
   */
  maskedSockets?: readonly MaskedSocket[];
  /** Variables of commands. No variable of the host is passed on. */
  env: Readonly<Record<string, string>>;
  /** Network of commands: none, everything that the host reaches, or only the listed hosts. */
  network: "none" | "full" | { allow: readonly string[] };
  /** Limits for all processes together. */
  limits: SandboxLimits;
  /** User of commands. Default: the owner of the workspace, never root of the host. */
  user?: { uid: number; gid: number };
  /** Image, for backends that have images. */
  image?: string;
  /** A shell script that runs once, before all commands. If it fails, the opening fails. */
  setup?: string;
  /**
   * `tethered`: the sandbox ends with the host. A detached one is found again, and removed when it is idle or too old.
   * Milliseconds.
   */
  lifetime: "tethered" | { idleMs: number; maxAgeMs: number };
}

/**
 * Reference of an existing sandbox. It remains valid after the host has ended.
 *
 * @example
 * ```ts
 * import type { SandboxBackend, SandboxRef } from "@haft/sandbox";
 * declare const backend: SandboxBackend;
 * const isOld = ({ detached, createdAt }: SandboxRef) => detached && Date.now() - createdAt > 86_400_000;
 * for (const ref of (await backend.list()).filter(isOld)) await backend.destroy(ref);
 * ```
 */
export interface SandboxRef {
  /** The {@link SandboxBackend.id} of its backend. */
  backend: string;
  /** Id in the backend: container id, process id and start time … */
  id: string;
  /** The scope and a hash of {@link SandboxSpec.key}, which does not reveal the key. */
  key: string;
  /** Scope, as in {@link SandboxSpec.scope}. */
  scope: SandboxScope;
  /** Hash of its {@link SandboxSpec}. */
  specHash: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** State of the sandbox. Only a running one accepts calls. */
  state: "running" | "stopped";
  /** Whether the sandbox continues without its host. */
  detached: boolean;
}

/**
 * Whether sandboxes work on this machine. The backend opens one to find out.
 *
 * @example
 * ```ts
 * import type { SandboxProbe } from "@haft/sandbox";
 * const describe = ({ backend, available, startMs, reason, fix }: SandboxProbe) =>
 *   available ? `${backend} works, start ${startMs} ms` : `${backend}: ${reason} ${fix}`;
 * ```
 */
export interface SandboxProbe {
  /** The {@link SandboxBackend.id} of the backend. */
  backend: string;
  /** Whether a sandbox could be opened and enforced everything that it must. */
  available: boolean;
  /** The problem as a sentence, if not available. */
  reason?: string;
  /** How to solve the problem, if not available. */
  fix?: string;
  /** Version, enforced limits, other limits, and kind of isolation, for `haft sandbox doctor`. */
  details: Readonly<Record<string, string>>;
  /** Milliseconds from the start to the first answer of the runner. */
  startMs?: number;
}

/** How a sandbox ended. */
export interface SandboxEnd {
  /** The reason, as the end of a sentence: `it was closed`, `its runner ended with exit code 1`. */
  why: string;
  /** Whether the sandbox exceeded its memory limit. */
  oom?: boolean;
  /** Exit code of the runner, if it is known. */
  exitCode?: number;
}

/**
 * Current resource usage of a sandbox. Unknown values are absent.
 *
 * @example
 * ```ts
 * import type { SandboxUsage } from "@haft/sandbox";
 * const format = ({ memoryBytes = 0, tasks }: SandboxUsage) => `${memoryBytes / 2 ** 20} MiB, ${tasks ?? "?"} tasks`;
 * ```
 */
export interface SandboxUsage {
  /** Memory in bytes. */
  memoryBytes?: number;
  /** Processor time since the opening, in milliseconds. */
  cpuMs?: number;
  /** Number of processes and threads, including those of the runner. */
  tasks?: number;
  /** Size of the files in the private `/tmp`, in bytes. */
  tmpBytes?: number;
}

/** A path inside that is read-only, with everything that is mounted below it. */
export interface ReadOnlyPath {
  /** Absolute path inside. */
  path: string;
  /** What must be mounted there, if anything is: the device as `major:minor`, and the folder of its file system. */
  mounted?: { device: string; root: string };
}

/**
 * An open sandbox: a stream to its runner, and facts about it. Backends make it.
 *
 * @example
 * ```ts
 * import type { SandboxBackend, SandboxConnection, SandboxSpec } from "@haft/sandbox";
 * declare const backend: SandboxBackend;
 * declare const spec: SandboxSpec;
 * const connection: SandboxConnection = await backend.open(spec, AbortSignal.timeout(30_000));
 * connection.stream.on("data", (bytes: Buffer) => console.log(`${bytes.length} bytes from the runner`));
 * await connection.close();
 * ```
 */
export interface SandboxConnection {
  /** Stream to the runner, which waits for the first message of the host. */
  stream: Duplex;
  /** Reference of the sandbox. It remains valid after this host has ended. */
  ref: SandboxRef;
  /** Mounts with their paths inside; the first is the workspace. */
  mounts: readonly Mount[];
  /** What the sandbox isolates commands from, for policies. */
  facts: SandboxFacts;
  /** Names of the runner's variables that commands need in addition to the usual ones, such as those of a proxy. */
  inherit?: readonly string[];
  /** Kind of the runner: Haft's own program (default), or the one for systems that have only a shell. */
  runner?: "program" | "shell";
  /**
   * Whether mounts are folders of this machine under the same kernel, so that each file is the same inside. They are compared
   * with the specification before anything runs.
   */
  hostFolders?: boolean;
  /** Read-only paths in addition to the mounts with access `ro`. They are verified from inside before anything runs. */
  readOnly?: readonly ReadOnlyPath[];
  /** Whether the {@link SandboxSpec.protectedPaths} are protected. Absent if the backend does not support them. */
  protectsPaths?: boolean;
  /** Whether the {@link SandboxSpec.maskedSockets} are masked. Absent if the backend does not support them. */
  masksSockets?: boolean;
  /** The node and its workspace, if the sandbox is on another machine. */
  node?: { id: string; name: string; workspace: string };
  /** Resolves when the sandbox has ended, for any reason. */
  ended: Promise<SandboxEnd>;
  /** Returns the current resource usage. Absent if the backend cannot measure it. */
  usage?(): Promise<SandboxUsage>;
  /** Closes the stream. A tethered sandbox has ended when this resolves; a detached one continues. */
  close(): Promise<void>;
}

/**
 * Opens sandboxes. A backend only starts a runner somewhere and returns the stream to it.
 *
 * Codes: `SANDBOX_UNAVAILABLE` (this machine cannot), `SANDBOX_START_FAILED`, `SANDBOX_MOUNT_REFUSED` (a folder was replaced),
 * `SANDBOX_NO_RUNNER` (nothing inside can serve), `SANDBOX_UNSUPPORTED` (the specification asks for something that the backend
 * cannot enforce), `SANDBOX_SETUP_FAILED`, `ABORTED`.
 *
 * @example
 * ```ts
 * import { createDockerBackend, type SandboxBackend } from "@haft/sandbox";
 * const docker = createDockerBackend();
 * const logging: SandboxBackend = {
 *   id: docker.id,
 *   probe: (signal) => docker.probe(signal),
 *   open: (spec, signal) => (console.log("opening for", spec.scope), docker.open(spec, signal)),
 *   list: () => docker.list(),
 *   destroy: (ref) => docker.destroy(ref),
 * };
 * ```
 */
export interface SandboxBackend {
  /** Name in settings, references and errors: `bubblewrap`. */
  readonly id: string;
  /** Opens a sandbox with the simplest settings and closes it. A failure is in the result; only a cancellation throws. */
  probe(signal?: AbortSignal): Promise<SandboxProbe>;
  /**
   * Opens a sandbox, or finds a detached one of the same specification. A failed or cancelled opening leaves nothing.
   *
   * @throws HaftError with one of the codes above
   */
  open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection>;
  /** Returns all sandboxes of Haft that this backend can see, including those of other hosts. */
  list(): Promise<SandboxRef[]>;
  /** Ends a sandbox. Resolves to false if it had already ended. */
  destroy(ref: SandboxRef): Promise<boolean>;
  /** Releases the resources of the backend: connections to a daemon, or to a machine with the processes there. */
  close?(): Promise<void>;
}
