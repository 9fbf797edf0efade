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
  /** Limits the memory of all processes, in MiB. Default 1,024. */
  memoryMb: number;
  /** Limits processes and threads. Default 512. */
  tasks: number;
  /** Limits processors; may be a fraction. Default 0: no limit. */
  cpus: number;
  /** Limits the size of one written file, in MiB. Default 1,024. */
  fileMb: number;
  /** Limits the private `/tmp`, in MiB. Default 256. */
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
  /** Names the mount. `""` is the workspace; others are addressed as `name:path`. */
  name: string;
  /** Absolute path on the host. */
  hostPath: string;
  /** Absolute path inside. */
  path: string;
  /** Whether commands may write there. */
  access: "ro" | "rw";
  /** Identifies the checked folder, as `dev:ino`; `hostPath` is then a real path. Default: determined by `openSandbox`. */
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
  /** `ro`: commands cannot change it. `rw`: commands cannot move it. */
  access: "ro" | "rw";
  /** Device and inode, as in {@link SandboxMount.identity}. */
  identity: string;
}

/** Describes a socket or FIFO of the host that is masked with an empty file. */
export interface MaskedSocket {
  /** Absolute real path on the host. */
  hostPath: string;
  /** Absolute path inside. */
  path: string;
  /** `dev:ino:birth`, because inode numbers are reused. */
  identity: string;
}

/**
 * Specifies a sandbox, in plain JSON.
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
  /** Identifies the sandbox within its scope: a session key, an agent id. Only a hash of it is visible, see `sandboxKey`. */
  key: string;
  /** Who shares the sandbox. */
  scope: SandboxScope;
  /** `none`: the workspace is a private folder that ends with the sandbox. */
  workspace: "none" | "ro" | "rw";
  /** Includes the workspace unless its access is `none`. */
  mounts: readonly SandboxMount[];
  /** Lists protected paths, outer paths first, or the backend refuses. `openSandbox` sets them at each opening. */
  protectedPaths?: readonly ProtectedPath[];
  /** Lists unreachable sockets and FIFOs, or the backend refuses. `openSandbox` sets them for read-only mounts or a limited network. */
  maskedSockets?: readonly MaskedSocket[];
  /** Contains all variables of commands; no variable of the host is passed on. */
  env: Readonly<Record<string, string>>;
  /** `full`: everything that the host reaches. With a list, only these hosts. */
  network: "none" | "full" | { allow: readonly string[] };
  /** Limits all processes together. */
  limits: SandboxLimits;
  /** Sets the user of commands. Default: the owner of the workspace, never root of the host. */
  user?: { uid: number; gid: number };
  /** Names the image, for backends that have images. */
  image?: string;
  /** Contains a shell script that runs once, before all commands. If it fails, the opening fails. */
  setup?: string;
  /** Ends with the host (`tethered`), or after `idleMs` without use (default one hour) or `maxAgeMs` in total (default seven days). */
  lifetime: "tethered" | { idleMs?: number; maxAgeMs?: number };
}

/**
 * Identifies an existing sandbox, also after the host has ended.
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
  /** See {@link SandboxBackend.id}. */
  backend: string;
  /** Identifies it in its backend: container id, process id and start time … */
  id: string;
  /** Contains the scope and a hash of {@link SandboxSpec.key}. */
  key: string;
  /** See {@link SandboxSpec.scope}. */
  scope: SandboxScope;
  /** Hash of the {@link SandboxSpec}. */
  specHash: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Only a running sandbox accepts calls. */
  state: "running" | "stopped";
  /** True if it continues without its host. */
  detached: boolean;
}

/**
 * Reports whether sandboxes work on this machine, after a trial.
 *
 * @example
 * ```ts
 * import type { SandboxProbe } from "@haft/sandbox";
 * const describe = ({ backend, available, startMs, reason, fix }: SandboxProbe) =>
 *   available ? `${backend} works, start ${startMs} ms` : `${backend}: ${reason} ${fix}`;
 * ```
 */
export interface SandboxProbe {
  /** See {@link SandboxBackend.id}. */
  backend: string;
  /** True if a sandbox enforced all requirements. */
  available: boolean;
  /** States the problem. */
  reason?: string;
  /** States the solution. */
  fix?: string;
  /** Contains version, limits and isolation, for `haft sandbox doctor`. */
  details: Readonly<Record<string, string>>;
  /** Milliseconds to the first answer of the runner. */
  startMs?: number;
}

/** Describes how a sandbox ended. */
export interface SandboxEnd {
  /** Ends a sentence: `it was closed`, `its runner ended with exit code 1`. */
  why: string;
  /** True if it exceeded its memory limit. */
  oom?: boolean;
  /** Exit code of the runner, if known. */
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
  /** Memory, in bytes. */
  memoryBytes?: number;
  /** Processor time, in milliseconds. */
  cpuMs?: number;
  /** Includes processes and threads of the runner. */
  tasks?: number;
  /** Files in the private `/tmp`, in bytes. */
  tmpBytes?: number;
}

/** Describes a read-only path inside, with all mounts below. */
export interface ReadOnlyPath {
  /** Absolute path inside. */
  path: string;
  /** Expected mount: device as `major:minor`, and folder of its file system. Absent: none. */
  mounted?: { device: string; root: string };
}

/**
 * Contains the stream to the runner, and facts about the sandbox. Backends create it.
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
  /** Connects to the runner, which waits for the first message of the host. */
  stream: Duplex;
  /** Identifies the sandbox. */
  ref: SandboxRef;
  /** Paths are those inside; the first mount is the workspace. */
  mounts: readonly Mount[];
  /** States the isolation, for policies. */
  facts: SandboxFacts;
  /** Names further variables of the runner that commands need, such as those of a proxy. */
  inherit?: readonly string[];
  /** `program` (default): Haft's own. `shell`: for systems that have only a shell. */
  runner?: "program" | "shell";
  /** True if mounts are folders of this machine under the same kernel, so that they can be compared with the specification. */
  hostFolders?: boolean;
  /** Lists read-only paths in addition to `ro` mounts, for the check from inside. */
  readOnly?: readonly ReadOnlyPath[];
  /** True if {@link SandboxSpec.protectedPaths} are protected; absent if unsupported. */
  protectsPaths?: boolean;
  /** True if {@link SandboxSpec.maskedSockets} are masked; absent if unsupported. */
  masksSockets?: boolean;
  /** Names the node and its workspace, if the sandbox is on another machine. */
  node?: { id: string; name: string; workspace: string };
  /** Resolves when the sandbox has ended. */
  ended: Promise<SandboxEnd>;
  /** Absent if the backend cannot measure it. */
  usage?(): Promise<SandboxUsage>;
  /** Closes the stream. A tethered sandbox has ended when this resolves; a detached one continues. */
  close(): Promise<void>;
}

/**
 * Opens sandboxes. A backend only starts a runner and returns the stream to it.
 *
 * Codes: `SANDBOX_UNAVAILABLE` (this machine cannot), `SANDBOX_START_FAILED`, `SANDBOX_MOUNT_REFUSED` (a folder was replaced),
 * `SANDBOX_NO_RUNNER` (no program inside can serve), `SANDBOX_UNSUPPORTED` (the backend cannot enforce the specification),
 * `SANDBOX_SETUP_FAILED`, `ABORTED`.
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
  /** Names the backend in settings, references and errors: `bubblewrap`. */
  readonly id: string;
  /** Opens and closes a simple sandbox. Returns failures; throws only if cancelled. */
  probe(signal?: AbortSignal): Promise<SandboxProbe>;
  /**
   * Opens a sandbox, or finds a detached one of the same specification. A failure leaves no remains.
   * @throws HaftError with one of the codes above
   */
  open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection>;
  /** Returns all visible sandboxes of Haft, also those of other hosts. */
  list(): Promise<SandboxRef[]>;
  /** Ends a sandbox. Returns false if it had already ended. */
  destroy(ref: SandboxRef): Promise<boolean>;
  /** Closes connections to a daemon or another machine. */
  close?(): Promise<void>;
}
