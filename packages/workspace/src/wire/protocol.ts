import type { Processes, ProcessInfo, ProcessOutput, ProcessSpec } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

/** The runner's first frame is a {@link Hello}. It changes when the sides would misunderstand each other. */
export const PROTOCOL_VERSION = 1;

/** Bytes in one frame. More goes in parts, so that nothing waits long behind it. */
export const PART_BYTES = 1024 * 1024;
/** Of output that an answer about a command brings along at most, if that is all there is. */
export const MAX_INLINE_OUTPUT_BYTES = 16 * 1024;

export type IdentifyResult = Omit<
  Awaited<ReturnType<Processes["identify"]>>,
  "environment" | "portableEnvironment" | "settings"
>;

/** The port as a runner serves it. Specifications are taken as they are. */
export interface RunnerProcesses extends Omit<Processes, "identify" | "start"> {
  identify(...args: Parameters<Processes["identify"]>): Promise<IdentifyResult>;
  /** @param options.ready it begins once this is fulfilled; rejected, nothing was started, and that is thrown */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal; ready?: Promise<void>; fence?: Fence },
  ): Promise<ProcessInfo>;
  /** Resolves at the end of a process, and does not keep the program running until then. */
  ended(id: string): Promise<ProcessInfo>;
}

export interface Hello {
  hello: number;
  node: string;
  platform: string;
  uid: number;
  gid: number;
  home: string;
  capabilities: RunnerCapabilities;
  /** What `uptimeMs` says there, as the call `clock` answers it, too. */
  clock: number;
}

export interface RunnerCapabilities {
  files: boolean;
  processes: boolean;
  pty: boolean;
  identify: boolean;
  network?: boolean;
}

/** The argument of the first call, `open`, to a runner that was started without arguments. */
export interface OpenSettings {
  /** As seen where it runs; the first is the main root. */
  mounts: readonly { name: string; path: string; access: "ro" | "rw" }[];
  /** Globs of paths nobody may touch, beside the built-in ones for credentials, as in `HostWorkspaceOptions`. */
  deny?: readonly string[];
  /** Globs of paths that may be read and not changed; the content of `.git` by default. */
  readOnly?: readonly string[];
  /** Names of variables of the runner that commands start from beside the usual ones; a `*` at the end for any ending. */
  inherit?: readonly string[];
  /** Most bytes one read may answer unless it brings its own buffer; 64 MiB by default. */
  maxReadBytes?: number;
  /** Processes that may run at the same time, 256 by default. */
  maxRunning: number;
  /** Keep a shell waiting for the next command (default), which makes it start in half the time. */
  spareShell: boolean;
  mountTable?: boolean;
}

export interface Opened {
  /** Variables commands start from there: those of the runner that are on the same allowlist as the host's. */
  env: Record<string, string>;
  /** Text of `/proc/self/mountinfo`, where it was asked for and is there. */
  mountTable?: string;
}

/** One call. Bytes to write are the frame's body, after those of the {@link Part}s before it. */
export interface Request {
  n: number;
  op: string;
  args: unknown[];
  /** Bytes of its body with all parts, where there are parts: less of it is not acted upon. */
  length?: number;
  /** By the runner's {@link Hello.clock}: from then on it is not begun (`SESSION_LEASE_LOST`). */
  notAfter?: number;
}

/** A piece of the body of what follows under the same number, a request or a reply. */
export interface Part {
  n: number;
  part: true;
}

export interface Cancel {
  cancel: number;
}

/** An earlier `start` that is held may begin. */
export interface Begin {
  begin: number;
  notAfter?: number;
}

/** `value` is what the call answers; bytes are the frame's body, after those of the {@link Part}s before it. */
export interface Reply {
  n: number;
  value?: unknown;
  error?: ReplyError;
  /** All output of the command that the value is about; its bytes are the body. Where it has ended, and that was asked for. */
  output?: OutputHead;
}

/** What `start` takes beside the options of the port. */
export interface DeferredStartOptions {
  /** All is prepared, and it begins with {@link Begin}; one that is cancelled before has not begun. */
  held?: boolean;
}

/** How the answer to `start` or `wait` is wanted, beside the options of the port. */
export interface RunnerAnswerOptions {
  /** With {@link Reply.output}, where that is so many bytes at most. */
  bringOutput?: number;
}

export interface ReplyError {
  code?: string;
  /** The end of a sentence, or with a category all of it. */
  why: string;
  category?: string;
  fix?: string | undefined;
  details?: Record<string, unknown> | undefined;
  receipt?: string | undefined;
}

/** {@link ProcessOutput} without its bytes. */
export interface OutputHead extends Omit<ProcessOutput, "chunks"> {
  chunks: { stream: OutputStream; offset: number; length: number }[];
}
