import type { ContentBlock } from "./result.ts";
import type { ToolEffect } from "./tool.ts";

/**
 * The seams of Haft: interfaces only. A tool acts on the world through its {@link Workspace};
 * the kernel asks its {@link Policy} and its {@link Approver}. Errors are `HaftError`s.
 */

/** Where a workspace's files really are. */
export type Place = "host" | "sandbox" | "node";

export interface FileStat {
  type: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  size: number;
  /** Permission bits, without the file type. */
  mode: number;
  /** Milliseconds since the epoch. */
  mtimeMs: number;
  /** Changes whenever the file is replaced or written: identity, size and times in one opaque string. */
  version: string;
  /** Number of hard links. */
  links: number;
}

export interface DirectoryEntry {
  name: string;
  type: FileStat["type"];
}

export interface ReadOptions {
  /** First byte, 0 by default. */
  offset?: number;
  /** At most this many bytes; all the rest by default, but never more than the workspace's `maxReadBytes`. */
  length?: number;
  /** Read into this buffer (saves a copy); `length` is then at most its size. */
  into?: Uint8Array;
  signal?: AbortSignal;
}

export interface ReadResult {
  bytes: Uint8Array;
  /** Taken from the open handle, so it belongs to exactly these bytes. */
  stat: FileStat;
}

export interface WriteOptions {
  /** `replace` (default) creates or replaces; `create` fails with `FILE_EXISTS` when something is there. */
  mode?: "replace" | "create";
  /** Permission bits of a new file; a replaced file keeps its own. */
  permissions?: number;
  /** Refuse with `FILE_CHANGED` unless the file still has this {@link FileStat.version}. `null`: must not exist. */
  ifMatch?: string | null;
  /** Create missing parents (default true). */
  parents?: boolean;
  /** Flush file and folder to disk before returning (default false). */
  durable?: boolean;
  signal?: AbortSignal;
}

export interface WriteResult {
  created: boolean;
  stat: FileStat;
}

/**
 * Files of one workspace. Paths are relative to the main root, absolute inside a mount, or
 * `name:path` for a named root. Every operation holds the boundary while it acts, not before.
 *
 * Common error codes: `OUTSIDE_WORKSPACE`, `FILE_NOT_FOUND`, `FILE_EXISTS`, `FILE_CHANGED`,
 * `NOT_A_FILE`, `IS_DIRECTORY`, `ACCESS_DENIED`, `READ_ONLY`, `PATH_DENIED`, `INVALID_PATH`, `DISK_FULL`.
 */
export interface FileSystem {
  /** `undefined` when nothing is there. `follow` (default true) looks through a final link. */
  stat(path: string, options?: { follow?: boolean }): Promise<FileStat | undefined>;
  /** The path with links resolved; the last component may be missing. Fails outside the boundary. */
  realpath(path: string): Promise<string>;
  /** Entries by name, in no order; at most `limit` (default 10,000) with `truncated` set beyond. */
  list(
    path: string,
    options?: { limit?: number },
  ): Promise<{ entries: DirectoryEntry[]; truncated: boolean }>;
  read(path: string, options?: ReadOptions): Promise<ReadResult>;
  /** Atomic: a reader sees the old bytes or the new ones, never a mixture. */
  write(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<WriteResult>;
  append(path: string, bytes: Uint8Array): Promise<WriteResult>;
  /** Creates missing folders; answers those it created, outermost first. */
  mkdirp(path: string): Promise<string[]>;
  /** Removes a file, a link (never its target) or an empty folder. */
  remove(path: string, options?: { ifMatch?: string }): Promise<void>;
  rename(from: string, to: string, options?: { ifMatch?: string; replace?: boolean }): Promise<void>;
}

/** One root of a workspace. */
export interface Mount {
  /** `""` is the main root; others are addressed as `name:path` or by absolute path. */
  name: string;
  /** Absolute path in the workspace's own spelling. */
  path: string;
  access: "ro" | "rw";
}

export interface WorkspaceDescription {
  place: Place;
  /** Where relative paths start. */
  cwd: string;
  mounts: readonly Mount[];
  /** `kernel`: every component is opened through the handle before it. `best-effort`: checked, then used. */
  boundary: "kernel" | "best-effort" | "none";
}

/** Where output was written to. A terminal has one stream only, `stdout`. */
export type OutputStream = "stdout" | "stderr";

/** What to run. JSON throughout, so that it can be sent to where it runs. Give `argv` or `script`, not both. */
export interface ProcessSpec {
  /** A program and its arguments, started without a shell. */
  argv?: readonly string[];
  /** Text for a shell, of any length; several lines are fine. */
  script?: string;
  /** Which shell runs the script: a name or a path, `sh` by default. Never started as a login shell. */
  shell?: string;
  /** A folder, as a path of the workspace; the main root by default. `~` is not expanded. */
  cwd?: string;
  /** Variables beside the allowed ones of the workspace. Those that change what other programs run are refused. */
  env?: Readonly<Record<string, string>>;
  /** Run on a terminal of this size instead of pipes. */
  pty?: TerminalSize;
  /** `open` keeps standard input open for `write`; `closed` (default) lets the command read its end at once. */
  stdin?: "open" | "closed";
  /** End the whole tree after this time. None by default. */
  timeoutMs?: number;
  /** Time between TERM and KILL when it is ended, 5,000 by default. */
  killGraceMs?: number;
  /** How much output is kept. */
  output?: OutputLimits;
}

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** What lies beyond both limits is counted, then dropped. The command is never stopped for it. */
export interface OutputLimits {
  /** Bytes kept from the end of each stream, in memory; 1 MiB by default. */
  ringBytes?: number;
  /** Bytes kept from the beginning, on disk; 64 MiB by default. */
  spoolBytes?: number;
}

/** `lost`: it was running when its runner or host went away, so how it ended is not known. */
export type ProcessState = "running" | "exited" | "lost";

/** `timeout` and `killed` ended it on our behalf; then side effects may be half done. */
export type ProcessEnd = "exit" | "signal" | "timeout" | "killed";

export interface ProcessInfo {
  id: string;
  /** The id the caller gave to `start`. */
  callerId: string;
  /** As commands of the same workspace see it. */
  pid: number;
  /** What runs, as a person would type it; cut to 4,096 characters. */
  command: string;
  /** Absolute. */
  cwd: string;
  /** Milliseconds since the epoch, as all times here. */
  startedAt: number;
  endedAt?: number;
  state: ProcessState;
  /** How it ended; absent while it runs and when it is lost. */
  reason?: ProcessEnd;
  /** Absent when a signal ended it. */
  exitCode?: number;
  /** The signal that ended it: `SIGTERM` … */
  signal?: string;
  pty: boolean;
  /** `open` while `write` has somewhere to write to. */
  stdin: "open" | "closed";
  output: OutputTotals;
}

/** Exact, whatever was dropped. `total` is `stdout + stderr`, and where the next byte will be. */
export interface OutputTotals {
  stdout: number;
  stderr: number;
  total: number;
  /** Bytes that can no longer be read. */
  dropped: number;
  /** Time of the last output; absent before the first. */
  lastAt?: number;
  /** The file that holds the output from its beginning, both streams as they came; absent while it is short. */
  spoolPath?: string;
  /** Bytes in that file. */
  spooled: number;
}

export interface OutputChunk {
  stream: OutputStream;
  /** Where its first byte lies in the output of both streams together. */
  offset: number;
  /** Cut anywhere: characters and escape sequences may continue in the next chunk. */
  bytes: Uint8Array;
}

export interface ProcessOutput {
  /** In the order in which they arrived. A hole between two of them was dropped. */
  chunks: OutputChunk[];
  /** Continue reading here. */
  next: number;
  /** Bytes between `from` and `next` that are gone. */
  dropped: number;
  /** Bytes there are by now: everything was read when `next` is as large. */
  total: number;
  /** Once it is not `running`, all that the process itself wrote is in `total`; its children may still write. */
  state: ProcessState;
}

/**
 * Processes of one workspace. Output is pulled by offset and never pushed, so a slow reader costs no memory and
 * loses nothing but what the limits drop, and knows how much that was.
 *
 * Every failure says by its receipt whether a process can have started: `none` for what was never dispatched,
 * `unknown` for what was (`RUNNER_LOST`). Ids of other workspaces look like ids of nothing: `PROCESS_NOT_FOUND`.
 */
export interface Processes {
  /**
   * Starts a process, or answers the one that was started with the same `callerId`. Answers at once, or with `waitMs`
   * as soon as it has ended and at the latest after this time: one round trip less for what ends quickly. The signal
   * takes the start back, as long as it was not answered; later, use {@link Processes.kill}.
   *
   * Codes: `INVALID_PROCESS`, `WORKDIR_INVALID`, `WORKDIR_NOT_FOUND`, `ENVIRONMENT_BLOCKED`, `PROGRAM_NOT_FOUND`,
   * `SPAWN_FAILED`, `COMMAND_TOO_LONG`, `TOO_MANY_PROCESSES`, `PTY_UNAVAILABLE`, `RUNNER_UNAVAILABLE`,
   * `RUNNER_LOST`, and `ABORTED` with the receipt `unknown` when it may have run for a moment.
   */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal },
  ): Promise<ProcessInfo>;
  /** `undefined` when there is no such process. */
  info(id: string): Promise<ProcessInfo | undefined>;
  /** All that were not released, oldest first. */
  list(): Promise<ProcessInfo[]>;
  /**
   * Output from an offset on, at most `max` bytes (64 KiB by default, 1 MiB at most). With nothing new there and
   * the process running, waits up to `waitMs` (0 by default) for output or the end.
   */
  read(
    id: string,
    from: number,
    options?: { max?: number; waitMs?: number; signal?: AbortSignal },
  ): Promise<ProcessOutput>;
  /**
   * Sends bytes to standard input or the terminal. They are taken at once while fewer than 1 MiB wait for the process
   * to read them; otherwise waits up to `waitMs` (5,000 by default). Answers how many wait now.
   *
   * Codes: `STDIN_CLOSED` (never opened, closed, or the process closed it), `STDIN_FULL` (nothing was taken).
   */
  write(id: string, bytes: Uint8Array, options?: { waitMs?: number }): Promise<{ queued: number }>;
  /** End of file for the process, after what was written. A terminal is sent its end-of-file character. */
  closeStdin(id: string): Promise<void>;
  /** Sends one signal (`SIGINT` …) to the process and its descendants, or with `tree: false` to itself alone. */
  signal(id: string, signal: string, options?: { tree?: boolean }): Promise<{ signalled: number }>;
  /** TERM, the grace time, KILL, for the whole tree; also for what is left of it after the process ended. */
  kill(id: string, options?: { graceMs?: number }): Promise<ProcessInfo>;
  /** Changes the size of its terminal; without effect once it has ended. Codes: `NOT_A_TERMINAL`. */
  resize(id: string, size: TerminalSize): Promise<void>;
  /** How it ended; or how it is, when `timeoutMs` ran out first. The end is not held up by children that live on. */
  wait(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<ProcessInfo>;
  /** Forgets a process that has ended, and deletes its output. Codes: `PROCESS_RUNNING`. */
  release(id: string): Promise<void>;
}

/** Files and processes somewhere: on the host, in a sandbox, on a node. */
export interface Workspace {
  readonly fs: FileSystem;
  /** Absent where commands cannot run. */
  readonly processes?: Processes;
  describe(): WorkspaceDescription;
  /** The same workspace with one more read-only root, addressed as `name:path`. Absent where that is not possible. */
  withRoot?(name: string, path: string): Workspace;
}

/** Who is calling, as far as policy is concerned. */
export interface SessionFacts {
  /** `sandboxed` is a group session in a sandbox. */
  kind: SessionKind;
  agentId: string;
  /** Model as `provider/model` or a bare name; empty when unknown. */
  model: string;
  messageChannel: string;
}

export type SessionKind = "main" | "group" | "sandboxed";

/** What policy may know of a tool: derived from its definition, never hand-kept. */
export interface ToolFacts {
  /** `plugin/name`, unique in a host. */
  id: string;
  name: string;
  pluginId: string;
  /** A plugin tool that is off until something names it. */
  optional: boolean;
  effects: readonly ToolEffect[];
  groups: readonly string[];
  /** Came with Haft, so the session table has a cell for it. */
  builtIn: boolean;
}

/** One rule that was looked at. */
export interface TraceStep {
  /** Which layer: `sessions`, `profile`, `deny`, `allow`, `optional` … */
  layer: string;
  /** The rule in words. */
  rule: string;
  /** Where it stands: a file and key, or `built-in`. */
  source: string;
  verdict: "allow" | "deny" | "ask" | "pass";
}

export interface Decision {
  effect: "allow" | "deny" | "ask";
  /** Stable for the same question under the same policy; recorded in the ledger. */
  id: string;
  /** One sentence: which rule decided. */
  reason: string;
  /** The smallest change that would flip it; absent when it is allowed. */
  fix?: string;
  /** Every rule looked at, in order; computed on demand. */
  readonly trace: readonly TraceStep[];
}

/** Policy as one session sees it. Pure and synchronous; cached per set of facts. */
export interface SessionPolicy {
  /** May the model see this tool at all? */
  visibility(tool: ToolFacts): Decision;
  /** May this call run? `args` are canonical and valid. */
  call(tool: ToolFacts, args: unknown): Decision;
}

export interface Policy {
  forSession(facts: SessionFacts): SessionPolicy;
}

export interface ApprovalRequest {
  approvalId: string;
  toolCallId: string;
  sessionKey: string;
  tool: ToolFacts;
  args: unknown;
  /** Why it is asked. */
  reason: string;
  /** What a person should look at before deciding. */
  preview: ContentBlock[];
  signal: AbortSignal;
}

export type ApprovalDecision = "allow-once" | "allow-always" | "deny";

/** Somebody who can be asked. The call waits for the answer. */
export interface Approver {
  ask(request: ApprovalRequest): Promise<ApprovalDecision>;
}

export interface Logger {
  debug(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
}
