import type { Fence } from "./ledger-port.ts";

/** The stream of some output. A terminal has only `stdout`. */
export type OutputStream = "stdout" | "stderr";

/**
 * A command to run, as plain JSON, so that it can be sent to where it runs. It has either `argv` or `script`.
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
  /** The program and its arguments, started without a shell. */
  argv?: readonly string[];
  /** A script for a shell, of any length and with any number of lines. */
  script?: string;
  /** The shell for the script: a name or a path. Default `sh`. It is never a login shell and never from a session's folder. */
  shell?: string;
  /** The folder to run in, as a path of the workspace. Default: the main root. `~` is not expanded. */
  cwd?: string;
  /** Whether to run on the host itself, outside of the contained view. Without containment it has no effect. */
  outside?: boolean;
  /** Hosts that commands of this view may reach from now on, beside the earlier ones: somebody agreed. */
  network?: readonly string[];
  /** A port of this view that is forwarded to the host's 127.0.0.1 while the command runs: somebody agreed. */
  forward?: number;
  /** Variables beside those the workspace allows. Variables that change what other programs run are refused. */
  env?: Readonly<Record<string, string>>;
  /** The size of a terminal to run on, instead of pipes. */
  pty?: TerminalSize;
  /** `open`: standard input stays open for `write`. `closed` (default): the command reads its end at once. */
  stdin?: "open" | "closed";
  /** Milliseconds until the whole process tree is ended. Default: no limit. */
  timeoutMs?: number;
  /** Milliseconds between TERM and KILL when it is ended. Default 5,000. */
  killGraceMs?: number;
  /** How much output is stored. Output beyond both limits is counted and dropped; the command never waits for it. */
  output?: {
    /** Bytes in memory from the end of each stream. Default 1 MiB. */
    ringBytes?: number;
    /** Bytes on disk from the beginning. Default 64 MiB. */
    spoolBytes?: number;
  };
  /**
   * Files that must be unchanged; otherwise nothing is started (`PLAN_CHANGED`). They are checked right before the start. A
   * native program and the folder stay open from then on; an interpreter opens its script again by name.
   */
  expect?: readonly FileIdentity[];
}

/** A file or folder at the time of a decision about a command. */
export interface FileIdentity {
  /** The absolute path that was looked up, with links unresolved. */
  path: string;
  /** The path with all links resolved. */
  realPath: string;
  /**
   * An opaque string of identity, size and times, which changes whenever the file is replaced or written; for a folder, its
   * identity. In {@link ProcessSpec.expect} also `absent`: nothing is there, and nothing may be there at the start.
   */
  version: string;
  /** In {@link ProcessSpec.expect}, with `absent`: the path must also lead to `realPath`, through dangling links as well. */
  isTarget?: true;
  /** In {@link ProcessSpec.expect}: the PATH must lead from this name to this file, or with `absent` to none. */
  name?: string;
  /** Set for a folder. */
  isFolder?: true;
  /**
   * The SHA-256 of the content, in hexadecimal, on request, and if the file is so new that its times may not show the next
   * change. Absent for files of more than 16 MiB and for unreadable ones.
   */
  sha256?: string;
  /** The first line of an executable script, without the `#!`. It names the interpreter. */
  shebang?: string;
  /** Set for an executable file. */
  isExecutable?: true;
  /** The text of exactly these bytes, on request. Absent for files of more than 64 KiB and for unreadable ones. */
  content?: string;
  /** Other programs that are this file or have the same content, on request. */
  copies?: readonly string[];
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  /** The number of columns. */
  cols: number;
  /** The number of lines. */
  rows: number;
}

/** The state of a process. `lost`: its runner or host went away while it ran, so its end is unknown. */
export type ProcessState = "running" | "exited" | "lost";

/** What is known of a process. */
export interface ProcessInfo {
  /** The id of the process, which its workspace assigns. */
  id: string;
  /** The id that the caller gave to `start`. */
  callerId: string;
  /** The process id, as commands of the same workspace see it. */
  pid: number;
  /** The command as a person would type it, cut to 4,096 characters. */
  command: string;
  /** The absolute folder it runs in. */
  cwd: string;
  /** When it started, in milliseconds since the epoch, like all times here. */
  startedAt: number;
  /** When it ended; absent while it runs. */
  endedAt?: number;
  /** The state of the process. */
  state: ProcessState;
  /**
   * Why it ended; absent while it runs and if it is lost. For `timeout` and `killed` the workspace ended it: its effects
   * may be incomplete.
   */
  reason?: "exit" | "signal" | "timeout" | "killed";
  /** The exit code; absent if a signal ended it. */
  exitCode?: number;
  /** The signal that ended it: `SIGTERM` … */
  signal?: string;
  /** Set if the kernel ended it, or a process it started, because its memory limit was reached. */
  outOfMemory?: { limitMb: number };
  /**
   * What was ended with the process, once the workspace ended it. `control-group`: all processes in its control group,
   * which are all that it started unless some were moved out, and all that carry its mark. `marks`: all that carry its
   * mark. `left` is how many of these were still there at the last check: 0, unless the system would not end them.
   */
  ending?: { by: "control-group" | "marks"; left: number };
  /**
   * Once the workspace ended it: the number of the session's processes without a command's control group or mark, which
   * therefore kept running. They end with the session. Absent if that is unknown.
   */
  unmarked?: number;
  /** Why the runner of the process is gone, with all output that was not read. The process is `lost` or had ended before. */
  loss?: {
    /** The code of later calls that need to know more: `SANDBOX_LOST`, or on the host `RUNNER_LOST`. */
    code: "SANDBOX_LOST" | "RUNNER_LOST";
    /** The end of a sentence whose subject is what is gone. */
    why: string;
  };
  /** Set if it runs on the host itself, outside of the contained view of its workspace. */
  outside?: true;
  /** A port of its view that is forwarded to `hostPort` of the host's 127.0.0.1 while it runs. */
  forward?: { port: number; hostPort: number };
  /** Whether it runs on a terminal. */
  pty: boolean;
  /** Whether `write` can still write to it. */
  stdin: "open" | "closed";
  /** How much output it has written. */
  output: OutputTotals;
}

/** Exact amounts of output, dropped output included. */
export interface OutputTotals {
  /** Bytes written to standard output. */
  stdout: number;
  /** Bytes written to standard error. */
  stderr: number;
  /** Bytes of both streams, and so the offset of the next byte. */
  total: number;
  /** Bytes that can no longer be read. */
  dropped: number;
  /** When the last output arrived, in milliseconds since the epoch; absent before the first. */
  lastAt?: number;
  /** The file with the output from its beginning, both streams in order of arrival; absent while the output is short. */
  spoolPath?: string;
  /** Bytes in that file. */
  spooled: number;
}

/** A piece of output. */
export interface OutputChunk {
  /** The stream it was written to. */
  stream: OutputStream;
  /** The offset of its first byte in the output of both streams together. */
  offset: number;
  /** The bytes. Characters and escape sequences may continue in the next chunk. */
  bytes: Uint8Array;
}

/** The output from one offset to another. */
export interface ProcessOutput {
  /** The pieces in order of arrival. A gap between two of them was dropped. */
  chunks: OutputChunk[];
  /** The offset to read from next. */
  next: number;
  /** Bytes between `from` and `next` that are gone. */
  dropped: number;
  /** Bytes written so far. Everything was read if `next` equals it. */
  total: number;
  /** The state of the process. After `running`, `total` has all that the process itself wrote; its children may still write. */
  state: ProcessState;
}

/**
 * The processes of one workspace. Output is read by offset and never pushed: a slow reader costs no memory, loses only what
 * the limits drop, and learns how much that was.
 *
 * The receipt of every error says whether a process may have started: `none` if the request was never sent, `unknown` if it
 * was (`RUNNER_LOST`). Ids of other workspaces are unknown here: `PROCESS_NOT_FOUND`.
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
   * Starts a process, or returns the one that was started with the same `callerId`. It resolves at once; with `waitMs`, as
   * soon as the process has ended and at the latest after this time, which saves a round trip for short commands. The
   * signal takes the start back until it resolves; later, use {@link Processes.kill}.
   *
   * Codes: `INVALID_PROCESS`, `ENVIRONMENT_BLOCKED`, `PROGRAM_NOT_FOUND`, `PLAN_CHANGED`, `TOO_MANY_PROCESSES`,
   * `RUNNER_UNAVAILABLE`, `RUNNER_LOST`, and `ABORTED` with the receipt `unknown` if it may have run for a moment.
   *
   * @param options.fence Checked right before the start. If the lease is lost, nothing is started (`SESSION_LEASE_LOST`).
   */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal; fence?: Fence },
  ): Promise<ProcessInfo>;
  /**
   * Returns the programs, scripts and folders that a command would find by these names: a name with a `/` from `cwd` on,
   * others on the `PATH`; `undefined` for those that do not exist. `copies`: also finds copies of it among the programs on
   * the `PATH` and in system folders. `content`: also reads it. `shell`: the name is a shell, as in {@link
   * ProcessSpec.shell}, and no word of a command.
   *
   * Codes: `INVALID_PROCESS`, `ENVIRONMENT_BLOCKED`, `RUNNER_UNAVAILABLE`.
   */
  identify(
    names: readonly { name: string; hash?: boolean; copies?: boolean; content?: boolean; shell?: boolean }[],
    where: Pick<ProcessSpec, "cwd" | "env" | "outside">,
  ): Promise<{
    /** The folder a command would start in. */
    cwd: FileIdentity;
    files: readonly (FileIdentity | undefined)[];
    /**
     * The hash of the variables that a command would get, without those that only affect the form of output (`TERM`, `LANG`
     * …).
     */
    environment: string;
    /** The same hash without variables that only name the temporary folder of one host (`TMPDIR`). */
    portableEnvironment?: string;
    /**
     * The variables for locations and the form of output: `HOME`, `PATH`, `USER`, `TMPDIR`, `LANG`, `XDG_CONFIG_HOME`,
     * `GIT_…`. None that an operator sets for programs, since those can be secret.
     */
    settings?: Readonly<Record<string, string>>;
  }>;
  /** Returns what is known of a process, or `undefined` if there is none. */
  info(id: string): Promise<ProcessInfo | undefined>;
  /** Returns all processes that were not released, oldest first. */
  list(): Promise<ProcessInfo[]>;
  /**
   * Returns output from an offset on, at most `max` bytes (64 KiB by default, 1 MiB at most). If there is none yet and the
   * process runs, it waits up to `waitMs` (0 by default) for output or the end.
   */
  read(
    id: string,
    from: number,
    options?: { max?: number; waitMs?: number; signal?: AbortSignal },
  ): Promise<ProcessOutput>;
  /**
   * Sends bytes to standard input or the terminal. They are taken at once while fewer than 1 MiB wait for the process;
   * otherwise it waits up to `waitMs` (5,000 by default). Resolves to how many bytes wait now.
   *
   * Codes: `STDIN_CLOSED` (never opened, closed, or closed by the process), `STDIN_FULL` (nothing was taken).
   *
   * @param options.fence Checked right before, as for {@link Processes.start}; `closeStdin` and `signal` have one, too.
   */
  write(
    id: string,
    bytes: Uint8Array,
    options?: { waitMs?: number; fence?: Fence },
  ): Promise<{ queued: number }>;
  /** Ends standard input after what was written. A terminal gets its end-of-file character. */
  closeStdin(id: string, options?: { fence?: Fence }): Promise<void>;
  /** Sends one signal (`SIGINT` …) to the process and its descendants, or with `tree: false` to the process only. */
  signal(
    id: string,
    signal: string,
    options?: { tree?: boolean; fence?: Fence },
  ): Promise<{ signalled: number }>;
  /**
   * Ends the whole process tree, even after the process itself ended: TERM, the grace time, then KILL. No fence prevents
   * it.
   */
  kill(id: string, options?: { graceMs?: number }): Promise<ProcessInfo>;
  /** Changes the size of the terminal; has no effect after the end. Codes: `INVALID_PROCESS`. */
  resize(id: string, size: TerminalSize): Promise<void>;
  /**
   * Waits for the end of the process and returns its state, or after `timeoutMs` its current state. It does not wait for
   * children that still run.
   */
  wait(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<ProcessInfo>;
  /**
   * Returns what happened since the last call that whoever runs commands should know, each in one or two sentences: files
   * that were held back, hosts that were not reached. Absent if there is never anything.
   *
   * @param met A command and its output, from which the workspace can tell which of its limits the command met.
   */
  notices?(met?: { command: string; output: string }): readonly string[];
  /** Forgets a process that has ended, and deletes its output. Codes: `INVALID_PROCESS`. */
  release(id: string): Promise<void>;
}
