import type { Mount, SandboxFacts } from "@haft/core";
import type { Duplex } from "node:stream";

/** Who shares a sandbox: one session, all sessions of an agent, or all of a host. */
export type SandboxScope = "session" | "agent" | "shared";

/** What a sandbox may use. What a backend cannot hold is refused or reported by its probe, never ignored. */
export interface SandboxLimits {
  /** Memory of everything inside, in MiB; 1,024 by default. */
  memoryMb: number;
  /** Processes and threads; 512 by default. */
  tasks: number;
  /** Processors, may be a fraction; 0 (default) for no limit. */
  cpus: number;
  /** Largest file that can be written, in MiB; 1,024 by default. */
  fileMb: number;
  /** Size of the private `/tmp`, in MiB; 256 by default. */
  tmpMb: number;
}

/** A folder of the host that is visible inside. */
export interface SandboxMount {
  /** `""` is the workspace; others are addressed as `name:path`. */
  name: string;
  /** Absolute, on the host. */
  hostPath: string;
  /** Absolute, inside. */
  path: string;
  /** Whether commands may write there. */
  access: "ro" | "rw";
  /**
   * Device and inode of the folder that was checked, as `dev:ino`: `hostPath` is its real path then, and what is
   * mounted is that folder or nothing. When absent, `openSandbox` notes it at its first look.
   */
  identity?: string;
}

/** A file or folder in a mount that is open for writing, mounted once more over itself. */
export interface ProtectedPath {
  /** Absolute and real, on the host. */
  hostPath: string;
  /** Absolute, inside. */
  path: string;
  /** `ro`: commands do not change it. `rw`: they do, and cannot move it away. */
  access: "ro" | "rw";
  /** As of {@link SandboxMount.identity}. */
  identity: string;
}

/** A unix socket or FIFO of the host in a mount, over which something empty is mounted: nothing behind it can be reached. */
export interface MaskedSocket {
  /** Absolute and real, on the host. */
  hostPath: string;
  /** Absolute, inside. */
  path: string;
  /** Which file it is, as `dev:ino:birth`: a number is given to the next file when one is removed. */
  identity: string;
}

/** What to open. Plain JSON, so that it can be hashed, compared and labelled. */
export interface SandboxSpec {
  /** Identity within the scope: a session key, an agent id. What is made is known by a hash of it, see `sandboxKey`. */
  key: string;
  /** Who shares it. */
  scope: SandboxScope;
  /** `none` mounts nothing: the workspace is a private folder that ends with the sandbox. */
  workspace: "none" | "ro" | "rw";
  /** Folders of the host inside, the workspace among them unless that is `none`. */
  mounts: readonly SandboxMount[];
  /** Outer ones first. What a backend cannot hold it refuses. `openSandbox` fills it in at each opening. */
  protectedPaths?: readonly ProtectedPath[];
  /**
   * Sockets and FIFOs of the host that commands are not to reach. What a backend cannot cover it refuses. `openSandbox` fills it in
   * at each opening, where a mount is read-only or the network is not `full`.
   */
  maskedSockets?: readonly MaskedSocket[];
  /** Variables of commands: nothing of the host's environment comes along. */
  env: Readonly<Record<string, string>>;
  /** What commands reach: nothing, everything the host does, or these hosts and no others. */
  network: "none" | "full" | { allow: readonly string[] };
  /** What everything inside may use together. */
  limits: SandboxLimits;
  /** Who commands run as; the owner of the workspace by default, never root of the host. */
  user?: { uid: number; gid: number };
  /** For backends with images. */
  image?: string;
  /** A shell script run once, before anything else; when it fails, so does opening. */
  setup?: string;
  /** `tethered` (default) ends with the host. Detached ones are found again, and pruned when idle or old. */
  lifetime: "tethered" | { idleMs: number; maxAgeMs: number };
}

/** Names one that exists, also after its host has gone. */
export interface SandboxRef {
  /** The {@link SandboxBackend.id} of its backend. */
  backend: string;
  /** Container id, process id and start time … */
  id: string;
  /** The scope and a hash of {@link SandboxSpec.key}, which tells nothing about it. */
  key: string;
  /** As of {@link SandboxSpec.scope}. */
  scope: SandboxScope;
  /** Hash of the {@link SandboxSpec} it was made from. */
  specHash: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** Only a running one serves. */
  state: "running" | "stopped";
  /** It lives on without its host. */
  detached: boolean;
}

/** Can sandboxes be had here? Found out by opening one. */
export interface SandboxProbe {
  /** The {@link SandboxBackend.id} of the backend that was asked. */
  backend: string;
  /** One was opened, and held what it has to hold. */
  available: boolean;
  /** When not: what happened, as a sentence. */
  reason?: string;
  /** When not: what to do. */
  fix?: string;
  /** Version, limits that hold and that do not, kind of isolation: for `haft sandbox doctor`. */
  details: Readonly<Record<string, string>>;
  /** Milliseconds from nothing to the first answer of its runner. */
  startMs?: number;
}

/** How a sandbox ended. */
export interface SandboxEnd {
  /** The end of a sentence: `it was closed`, `its runner ended with exit code 1`. */
  why: string;
  /** It used more memory than it may. */
  oom?: boolean;
  /** Of its runner, where that is known. */
  exitCode?: number;
}

/** What everything in a sandbox uses at the moment. What cannot be known is not there. */
export interface SandboxUsage {
  /** Memory, in bytes. */
  memoryBytes?: number;
  /** Time of processors since it was opened, in milliseconds. */
  cpuMs?: number;
  /** Processes and threads, those of its runner among them. */
  tasks?: number;
  /** What is written in its private `/tmp`, in bytes. */
  tmpBytes?: number;
}

/** A place inside that can only be read, with everything that is mounted below it. */
export interface ReadOnlyPath {
  /** Absolute, inside. */
  path: string;
  /** What has to be mounted there, if anything is: the device as `major:minor`, and the folder of its file system. */
  mounted?: { device: string; root: string };
}

/** An open sandbox: a stream to the runner in it, and nothing else. */
export interface SandboxConnection {
  /** To the runner, which waits for whoever speaks first: the host. */
  stream: Duplex;
  /** What it is called, also after this host has gone. */
  ref: SandboxRef;
  /** As seen inside; the first is the workspace. */
  mounts: readonly Mount[];
  /** What it keeps from its commands, for policies. */
  facts: SandboxFacts;
  /** Names of variables of the runner that commands need beside the usual ones, such as those of a proxy. */
  inherit?: readonly string[];
  /** Who answers at the other end: Haft's own program (default), or the one for places that have only a shell. */
  runner?: "program" | "shell";
  /**
   * Mounts inside are folders of this machine under the same kernel, so that each is the same file there. They are
   * compared with the specification before anything runs.
   */
  hostFolders?: boolean;
  /** Beside the mounts whose access is `ro`. Looked at from inside before anything runs. */
  readOnly?: readonly ReadOnlyPath[];
  /** What the specification wants {@link SandboxSpec.protectedPaths} is. A backend that does not know of it does not say so. */
  protectsPaths?: boolean;
  /** What the specification wants {@link SandboxSpec.maskedSockets} is. A backend that does not know of it does not say so. */
  masksSockets?: boolean;
  /** It is a workspace of another machine, and this one. */
  node?: { id: string; name: string; workspace: string };
  /** Resolves when it is gone, whatever the reason. */
  ended: Promise<SandboxEnd>;
  /** What it uses now. A backend that cannot tell does not have it. */
  usage?(): Promise<SandboxUsage>;
  /** Closes the stream; a tethered sandbox is gone when this resolves, a detached one lives on. */
  close(): Promise<void>;
}

/**
 * Opens sandboxes. A backend only starts a runner somewhere and hands out the stream to it.
 *
 * Codes: `SANDBOX_UNAVAILABLE` (this machine cannot), `SANDBOX_START_FAILED`,
 * `SANDBOX_MOUNT_REFUSED` (a folder was replaced), `SANDBOX_NO_RUNNER` (nothing inside can serve), `SANDBOX_UNSUPPORTED` (the specification asks for what it cannot hold),
 * `SANDBOX_SETUP_FAILED`, `ABORTED`.
 */
export interface SandboxBackend {
  /** What it is called in settings, references and errors: `bubblewrap`. */
  readonly id: string;
  /** Opens one with the simplest settings and closes it. Says why not rather than to throw, unless it is cancelled. */
  probe(signal?: AbortSignal): Promise<SandboxProbe>;
  /**
   * Opens one, or finds a detached one of the same specification. Nothing is left of one whose opening fails or is
   * cancelled.
   *
   * @throws HaftError with one of the codes above
   */
  open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection>;
  /** Every one of Haft's that this backend can see, also those of other hosts. */
  list(): Promise<SandboxRef[]>;
  /** False when it was gone already. */
  destroy(ref: SandboxRef): Promise<boolean>;
  /** Lets go of what it holds itself: connections to a daemon, or to a machine with what runs there. */
  close?(): Promise<void>;
}
