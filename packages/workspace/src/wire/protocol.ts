import type { Processes, ProcessInfo, ProcessOutput, ProcessSpec, ScanOptions, ScanPage } from "@haft/core";
import type { OutputStream, Fence } from "@haft/core/internal";

/** Changes with incompatible versions. */
export const PROTOCOL_VERSION = 1;

/** Limits one frame. Longer bodies are sent in parts, so that other frames do not wait. */
export const PART_BYTES = 1024 * 1024;
export const MAX_INLINE_OUTPUT_BYTES = 16 * 1024;

export type IdentifyResult = Omit<
  Awaited<ReturnType<Processes["identify"]>>,
  "environment" | "portableEnvironment" | "settings"
>;

export interface RunnerProcesses extends Omit<Processes, "identify" | "start"> {
  identify(...args: Parameters<Processes["identify"]>): Promise<IdentifyResult>;
  /** @param options.ready starts the command; after a rejection, nothing was started */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal; ready?: Promise<void>; fence?: Fence },
  ): Promise<ProcessInfo>;
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
  clock: number;
}

export interface RunnerCapabilities {
  files: boolean;
  processes: boolean;
  pty: boolean;
  identify: boolean;
  network?: boolean;
}

export interface OpenSettings {
  mounts: readonly { name: string; path: string; access: "ro" | "rw" }[];
  /** As in `HostWorkspaceOptions`, in addition to the built-in credentials. */
  deny?: readonly string[];
  /** Default: the content of `.git`. */
  readOnly?: readonly string[];
  /** Adds variables of the runner; a `*` at the end matches any ending. */
  inherit?: readonly string[];
  /** For one read without a buffer. Default: 64 MiB. */
  maxReadBytes?: number;
  /** Default: 256. */
  maxRunning: number;
  /** Halves the start time. Default: true. */
  spareShell: boolean;
  mountTable?: boolean;
}

export interface Opened {
  env: Record<string, string>;
  mountTable?: string;
}

/** The bytes are in its {@link Part}s and the body of this frame. */
export interface Request {
  n: number;
  op: string;
  args: unknown[];
  /** Counts the bytes of a body with parts. A shorter body has no effect. */
  length?: number;
  /** Uses {@link Hello.clock}. Later, the call does not begin (`SESSION_LEASE_LOST`). */
  notAfter?: number;
}

export interface Part {
  n: number;
  part: true;
}

export interface Cancel {
  cancel: number;
}

export interface Begin {
  begin: number;
  notAfter?: number;
}

export interface Reply {
  n: number;
  value?: unknown;
  error?: ReplyError;
  /** All output of an ended command, if requested. Its bytes are the body. */
  output?: OutputHead;
}

export interface DeferredStartOptions {
  /** Waits for {@link Begin}. If cancelled before, it has no effect. */
  held?: boolean;
}

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

/** Asks for a page. `scan` is the number of an earlier page's scan; `end` closes it. */
export interface ScanQuery extends Omit<ScanOptions, "signal"> {
  scan?: number;
  end?: boolean;
}

export interface ScanAnswer extends ScanPage {
  scan: number;
}
