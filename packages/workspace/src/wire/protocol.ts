import type { Processes, ProcessInfo, ProcessOutput, ProcessSpec } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

/** Sent in the runner's first frame, {@link Hello}. Changes with incompatible versions. */
export const PROTOCOL_VERSION = 1;

/** Limits one frame, in bytes. Longer bodies are sent in parts, so that other frames do not wait. */
export const PART_BYTES = 1024 * 1024;
/** Limits the output that an answer about a command includes. */
export const MAX_INLINE_OUTPUT_BYTES = 16 * 1024;

export type IdentifyResult = Omit<
  Awaited<ReturnType<Processes["identify"]>>,
  "environment" | "portableEnvironment" | "settings"
>;

/** Represents the processes of a runner. Uses specifications unchanged. */
export interface RunnerProcesses extends Omit<Processes, "identify" | "start"> {
  identify(...args: Parameters<Processes["identify"]>): Promise<IdentifyResult>;
  /** @param options.ready starts the command once fulfilled; a rejection is thrown, and nothing was started */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal; ready?: Promise<void>; fence?: Fence },
  ): Promise<ProcessInfo>;
  /** Resolves at the end of a process, and does not keep the program running. */
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
  /** `uptimeMs` of the runner, also returned by the call `clock`. */
  clock: number;
}

export interface RunnerCapabilities {
  files: boolean;
  processes: boolean;
  pty: boolean;
  identify: boolean;
  network?: boolean;
}

/** Contains the argument of the first call, `open`, to a runner without arguments. */
export interface OpenSettings {
  /** As seen by the runner. The first is the main root. */
  mounts: readonly { name: string; path: string; access: "ro" | "rw" }[];
  /** Globs of denied paths, in addition to the built-in credentials, as in `HostWorkspaceOptions`. */
  deny?: readonly string[];
  /** Globs of read-only paths. Default: the content of `.git`. */
  readOnly?: readonly string[];
  /** Names additional variables of the runner for commands; a `*` at the end matches any ending. */
  inherit?: readonly string[];
  /** Limits one read without a buffer, in bytes. Default: 64 MiB. */
  maxReadBytes?: number;
  /** Limits concurrent processes. Default: 256. */
  maxRunning: number;
  /** Keeps a shell ready (default), which halves the start time. */
  spareShell: boolean;
  mountTable?: boolean;
}

export interface Opened {
  /** The runner's variables on the allowlist of the host, as a base for commands. */
  env: Record<string, string>;
  /** The content of `/proc/self/mountinfo`, if requested and available. */
  mountTable?: string;
}

/** Represents one call. Its bytes are the bodies of its {@link Part}s and of this frame. */
export interface Request {
  n: number;
  op: string;
  args: unknown[];
  /** Bytes of the whole body, if it has parts. A shorter body has no effect. */
  length?: number;
  /** By the runner's {@link Hello.clock}. Later, the call does not begin (`SESSION_LEASE_LOST`). */
  notAfter?: number;
}

/** Contains a piece of the body of a request or reply with the same number. */
export interface Part {
  n: number;
  part: true;
}

export interface Cancel {
  cancel: number;
}

/** Permits the start of a held `start`. */
export interface Begin {
  begin: number;
  notAfter?: number;
}

/** `value` is the result. Its bytes are the bodies of its {@link Part}s and of this frame. */
export interface Reply {
  n: number;
  value?: unknown;
  error?: ReplyError;
  /** All output of the command, with its bytes in the body, if it has ended and this was requested. */
  output?: OutputHead;
}

/** Extends the options of `start`. */
export interface DeferredStartOptions {
  /** Prepares the start, which begins with {@link Begin}. If cancelled before, it has no effect. */
  held?: boolean;
}

/** Extends the options of `start` and `wait`. */
export interface RunnerAnswerOptions {
  /** Requests {@link Reply.output} of at most this many bytes. */
  bringOutput?: number;
}

export interface ReplyError {
  code?: string;
  /** The end of a sentence, or with a category the whole message. */
  why: string;
  category?: string;
  fix?: string | undefined;
  details?: Record<string, unknown> | undefined;
  receipt?: string | undefined;
}

export interface OutputHead extends Omit<ProcessOutput, "chunks"> {
  chunks: { stream: OutputStream; offset: number; length: number }[];
}
