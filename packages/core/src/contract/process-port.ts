import type { Fence } from "./ledger-port.ts";

/** Selects a stream. A terminal has only `stdout`. */
export type OutputStream = "stdout" | "stderr";

/**
 * Describes a command as plain JSON, with either `argv` or `script`.
 *
 * @example
 * ```ts
 * import type { ProcessSpec } from "@haft/core";
 *
 * const tests: ProcessSpec = {
 *   script: "npm ci && npm test",
 *   shell: "bash",
 *   cwd: "packages/app",
 *   env: { CI: "1" },
 *   timeoutMs: 10 * 60_000,
 *   output: { ringBytes: 64 * 1024 },
 * };
 * ```
 */
export interface ProcessSpec {
  /** Contains the program and its arguments, started without a shell. */
  argv?: readonly string[];
  /** Contains a shell script of any length. */
  script?: string;
  /** Selects the shell by name or path. Default `sh`. Never a login shell, never from a session's folder. */
  shell?: string;
  /** Selects the working folder in the workspace. Default: the main root. `~` is not expanded. */
  cwd?: string;
  /** Runs the command on the host, outside of any view. */
  outside?: boolean;
  /** Adds approved hosts for commands of this view from now on. */
  network?: readonly string[];
  /** Forwards an approved port of this view to the host's 127.0.0.1 while the command runs. */
  forward?: number;
  /** Adds variables, except variables that change other programs. */
  env?: Readonly<Record<string, string>>;
  /** Runs it on a terminal of this size instead of pipes. */
  pty?: TerminalSize;
  /** Keeps standard input `open` for `write`, or `closed` (default). */
  stdin?: "open" | "closed";
  /** Milliseconds until the process tree is ended. Default: no limit. */
  timeoutMs?: number;
  /** Milliseconds between TERM and KILL. Default 5,000. */
  killGraceMs?: number;
  /** Limits the stored output. Further output is counted and dropped. */
  output?: {
    /** Bytes in memory from the end of each stream. Default 1 MiB. */
    ringBytes?: number;
    /** Bytes on disk from the beginning. Default 64 MiB. */
    spoolBytes?: number;
  };
  /**
   * Lists files that must be unchanged at the start (else `PLAN_CHANGED`). Native programs and the folder then stay open; an interpreter
   * opens its script again by name.
   */
  expect?: readonly FileIdentity[];
}

/** Identifies a file or folder at a decision about a command. */
export interface FileIdentity {
  /** Contains the absolute path, with links unresolved. */
  path: string;
  /** Contains the path with all links resolved. */
  realPath: string;
  /**
   * Contains an opaque string that changes whenever the file is replaced or written; for a folder, its identity. In {@link
   * ProcessSpec.expect} also `absent`: the path must not exist.
   */
  version: string;
  /** In {@link ProcessSpec.expect}, with `absent`: requires that the path leads to `realPath`, also through dangling links. */
  isTarget?: true;
  /** In {@link ProcessSpec.expect}: requires that the PATH leads from this name to this file, or with `absent` to no file. */
  name?: string;
  /** Is set for a folder. */
  isFolder?: true;
  /**
   * Contains the SHA-256 of the content, in hexadecimal, on request and for very new files. Absent above 16 MiB and for unreadable files.
   */
  sha256?: string;
  /** Contains the first line of an executable script, without the `#!`. */
  shebang?: string;
  /** Is set for an executable file. */
  isExecutable?: true;
  /** Contains the text of exactly these bytes, on request. Absent above 64 KiB and for unreadable files. */
  content?: string;
  /** Lists other programs with this content, on request. */
  copies?: readonly string[];
}

/** States the size of a terminal, in characters. */
export interface TerminalSize {
  /** Counts columns. */
  cols: number;
  /** Counts lines. */
  rows: number;
}

/** States the progress. `lost`: its runner or host disappeared, so its end is unknown. */
export type ProcessState = "running" | "exited" | "lost";

/** Describes a process. */
export interface ProcessInfo {
  /** Identifies the process in its workspace. */
  id: string;
  /** Identifies the process for the caller of `start`. */
  callerId: string;
  /** Contains the process id inside of the workspace. */
  pid: number;
  /** Contains the command as typed, at most 4,096 characters. */
  command: string;
  /** Contains the absolute working folder. */
  cwd: string;
  /** States when it started, in epoch milliseconds. */
  startedAt: number;
  /** States when it ended; absent while it runs. */
  endedAt?: number;
  /** States the progress. */
  state: ProcessState;
  /** Explains its end. Absent while it runs and if it is lost. */
  reason?: "exit" | "signal" | "timeout" | "killed";
  /** Contains the exit code; absent if a signal ended it. */
  exitCode?: number;
  /** Names the signal that ended it: `SIGTERM` … */
  signal?: string;
  /** Is set if the kernel ended it, or a child, at the memory limit. */
  outOfMemory?: { limitMb: number };
  /**
   * Describes how the workspace ended it: all processes in its control group and with its mark (`control-group`), or with its mark. `left`
   * counts processes that the system could not end.
   */
  ending?: { by: "control-group" | "marks"; left: number };
  /** Counts the session's processes without control group or mark, which run until the session ends. Absent if unknown. */
  unmarked?: number;
  /** Explains the loss of runner and unread output. */
  loss?: {
    /** Identifies the error of later calls that need more: `SANDBOX_LOST`, or on the host `RUNNER_LOST`. */
    code: "SANDBOX_LOST" | "RUNNER_LOST";
    /** Ends a sentence whose subject is the lost runner or sandbox. */
    why: string;
  };
  /** Is set if it runs on the host, outside of the view. */
  outside?: true;
  /** Describes a port of its view, forwarded to `hostPort` of the host's 127.0.0.1. */
  forward?: { port: number; hostPort: number };
  /** Tells whether it runs on a terminal. */
  pty: boolean;
  /** Tells whether `write` can still write to it. */
  stdin: "open" | "closed";
  /** Counts its output. */
  output: OutputTotals;
}

/** Counts output, also dropped. */
export interface OutputTotals {
  /** Counts bytes of standard output. */
  stdout: number;
  /** Counts bytes of standard error. */
  stderr: number;
  /** Counts bytes of both streams: the offset of the next byte. */
  total: number;
  /** Counts bytes that can no longer be read. */
  dropped: number;
  /** States when the last output arrived, in epoch milliseconds. */
  lastAt?: number;
  /** Locates the file with the beginning of the output, in order of arrival. Absent for short output. */
  spoolPath?: string;
  /** Counts the bytes in that file. */
  spooled: number;
}

/** Contains a piece of output. */
export interface OutputChunk {
  /** Names its stream. */
  stream: OutputStream;
  /** Locates its first byte in the output of both streams. */
  offset: number;
  /** Contains the bytes. Characters may continue in the next chunk. */
  bytes: Uint8Array;
}

/** Contains output between two offsets. */
export interface ProcessOutput {
  /** Lists the pieces in order of arrival; gaps were dropped. */
  chunks: OutputChunk[];
  /** Locates the next read. */
  next: number;
  /** Counts the dropped bytes between `from` and `next`. */
  dropped: number;
  /** Counts the bytes so far, which `next` reaches at the end. */
  total: number;
  /** States the progress. After `running`, only children may still write. */
  state: ProcessState;
}

/**
 * Controls the processes of a workspace. Output is read by offset: a slow reader costs no memory, and learns of dropped output.
 *
 * Receipts of errors show whether a process may have started: `none` if the request was never sent, `unknown` if it was (`RUNNER_LOST`).
 * Ids of other workspaces fail with `PROCESS_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import type { Processes } from "@haft/core";
 *
 * export async function countFiles(processes: Processes): Promise<string> {
 *   const { id } = await processes.start("count-1", { script: "ls | wc -l" }, { waitMs: 1000 });
 *   const { exitCode } = await processes.wait(id, { timeoutMs: 10_000 });
 *   const { chunks } = await processes.read(id, 0);
 *   await processes.release(id);
 *   return `exit code ${exitCode}: ${Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()}`;
 * }
 * ```
 */
export interface Processes {
  /**
   * Starts a process, or returns the process with the same `callerId`. Resolves at once, or with `waitMs` at its end or after this time.
   * The signal cancels only the start; use {@link Processes.kill} later.
   *
   * Codes: `INVALID_PROCESS`, `ENVIRONMENT_BLOCKED`, `PROGRAM_NOT_FOUND`, `PLAN_CHANGED`, `TOO_MANY_PROCESSES`, `RUNNER_UNAVAILABLE`,
   * `RUNNER_LOST`, and `ABORTED` with the receipt `unknown` if it may have run for a moment.
   *
   * @param options.fence Checked right before the start (`SESSION_LEASE_LOST`).
   */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal; fence?: Fence },
  ): Promise<ProcessInfo>;
  /**
   * Returns the programs, scripts and folders of these names, or `undefined` for missing files. A name with a `/` is relative to `cwd`;
   * others are searched on the `PATH`. `copies`: also finds copies on the `PATH` and in system folders. `content`: also reads it. `shell`:
   * the name is a shell, as in {@link ProcessSpec.shell}.
   *
   * Codes: `INVALID_PROCESS`, `ENVIRONMENT_BLOCKED`, `RUNNER_UNAVAILABLE`.
   */
  identify(
    names: readonly { name: string; hash?: boolean; copies?: boolean; content?: boolean; shell?: boolean }[],
    where: Pick<ProcessSpec, "cwd" | "env" | "outside">,
  ): Promise<{
    cwd: FileIdentity;
    files: readonly (FileIdentity | undefined)[];
    /** Contains the hash of the command's variables, except variables for the form of output (`TERM`, `LANG` …). */
    environment: string;
    /** Contains that hash, also without variables for temporary folders (`TMPDIR`). */
    portableEnvironment?: string;
    /**
     * Contains variables for locations and the form of output: `HOME`, `PATH`, `USER`, `TMPDIR`, `LANG`, `XDG_CONFIG_HOME`, `GIT_…`.
     * Excludes the operator's variables, which can be secret.
     */
    settings?: Readonly<Record<string, string>>;
  }>;
  /** Returns the state of a process, if known. */
  info(id: string): Promise<ProcessInfo | undefined>;
  /** Returns all processes that were not released, oldest first. */
  list(): Promise<ProcessInfo[]>;
  /**
   * Returns at most `max` bytes from an offset (default 64 KiB, at most 1 MiB). Without output, it waits up to `waitMs` (default 0) for
   * output or the end.
   */
  read(
    id: string,
    from: number,
    options?: { max?: number; waitMs?: number; signal?: AbortSignal },
  ): Promise<ProcessOutput>;
  /**
   * Sends bytes to standard input or the terminal. While 1 MiB or more wait for the process, it waits up to `waitMs` (default 5,000).
   * Resolves to the number of waiting bytes.
   *
   * Codes: `STDIN_CLOSED` (never opened, closed, or closed by the process), `STDIN_FULL` (nothing was accepted).
   *
   * @param options.fence Checked right before.
   */
  write(
    id: string,
    bytes: Uint8Array,
    options?: { waitMs?: number; fence?: Fence },
  ): Promise<{ queued: number }>;
  /** Ends standard input. A terminal gets its end-of-file character. */
  closeStdin(id: string, options?: { fence?: Fence }): Promise<void>;
  /** Sends a signal (`SIGINT` …) to the process tree, or with `tree: false` to the process only. */
  signal(
    id: string,
    signal: string,
    options?: { tree?: boolean; fence?: Fence },
  ): Promise<{ signalled: number }>;
  /** Ends the process tree, even after its root: TERM, the grace time, KILL. No fence prevents it. */
  kill(id: string, options?: { graceMs?: number }): Promise<ProcessInfo>;
  /** Changes the size of the terminal; has no effect after the end. Codes: `INVALID_PROCESS`. */
  resize(id: string, size: TerminalSize): Promise<void>;
  /** Returns the state at the end of the process, or after `timeoutMs`. */
  wait(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<ProcessInfo>;
  /**
   * Returns new events for the user, each in one or two sentences: quarantined files, blocked hosts. Absent if unsupported.
   *
   * @param met A command and its output, to derive the limit that it met.
   */
  notices?(met?: { command: string; output: string }): readonly string[];
  /** Forgets an ended process, and deletes its output. Codes: `INVALID_PROCESS`. */
  release(id: string): Promise<void>;
}
