import type { Fence } from "./ledger-port.ts";

/** Where output was written to. A terminal has one stream only, `stdout`. */
export type OutputStream = "stdout" | "stderr";

/** What to run. JSON throughout, so that it can be sent to where it runs. Give `argv` or `script`, not both. */
export interface ProcessSpec {
  /** A program and its arguments, started without a shell. */
  argv?: readonly string[];
  /** Text for a shell, of any length; several lines are fine. */
  script?: string;
  /** The shell for the script: a name or a path, `sh` by default; no login shell, and never from a session's folder. */
  shell?: string;
  /** A folder, as a path of the workspace; the main root by default. `~` is not expanded. */
  cwd?: string;
  /** Run on the host itself, outside of the view that contains commands. Without containment it changes nothing. */
  outside?: boolean;
  /** Hosts that commands of this view reach from now on, beside those they do already: somebody agreed to it. */
  network?: readonly string[];
  /** A port of this view that the host's 127.0.0.1 leads to while the command runs, because somebody agreed. */
  forward?: number;
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
  /** How much output is kept. What lies beyond both limits is counted, then dropped; the command is never stopped for it. */
  output?: {
    /** Bytes kept from the end of each stream, in memory; 1 MiB by default. */
    ringBytes?: number;
    /** Bytes kept from the beginning, on disk; 64 MiB by default. */
    spoolBytes?: number;
  };
  /**
   * Nothing is started unless these are still what they were (`PLAN_CHANGED`). Looked at right before the start. A
   * native program and the folder are held from then on; a script is opened again by its interpreter, by name.
   */
  expect?: readonly FileIdentity[];
}

/** A file or folder as it was when somebody decided about a command. */
export interface FileIdentity {
  /** As it was looked up: absolute, links not resolved. */
  path: string;
  /** With all links resolved. */
  realPath: string;
  /**
   * Changes whenever the file is replaced or written: identity, size and times in one opaque string. For a folder, its
   * identity. In {@link ProcessSpec.expect} also `absent`: nothing is there, and nothing may be there then.
   */
  version: string;
  /** In {@link ProcessSpec.expect}, with `absent`: the path has to lead to `realPath` as well, also by links to nothing. */
  isTarget?: true;
  /** In {@link ProcessSpec.expect}: the PATH has to lead to this file by this name, or by `absent` to none. */
  name?: string;
  /** It is a folder. */
  isFolder?: true;
  /**
   * SHA-256 of its content, in hexadecimal, where it was asked for, or the file is so fresh that its times may not
   * tell the next change. Absent for what is larger than 16 MiB or cannot be read.
   */
  sha256?: string;
  /** Of a script that can be executed: its first line without the `#!`, as it is; it names who runs the script. */
  shebang?: string;
  /** It is a file that somebody may execute. */
  isExecutable?: true;
  /** Where it was asked for: its text, of these very bytes. Absent for what is larger than 64 KiB or cannot be read. */
  content?: string;
  /** Where it was asked for: other programs that are this file, or have the same content. */
  copies?: readonly string[];
}

/** The size of a terminal, in characters. */
export interface TerminalSize {
  /** Characters of a line. */
  cols: number;
  /** Lines. */
  rows: number;
}

/** `lost`: it was running when its runner or host went away, so how it ended is not known. */
export type ProcessState = "running" | "exited" | "lost";

/** What is known of a process. */
export interface ProcessInfo {
  /** Of the process in its workspace, made up by it. */
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
  /** Absent while it runs. */
  endedAt?: number;
  /** Whether it runs. */
  state: ProcessState;
  /** How it ended; absent while it runs and when it is lost. `timeout` and `killed` ended it on our behalf: side effects may be half done. */
  reason?: "exit" | "signal" | "timeout" | "killed";
  /** Absent when a signal ended it. */
  exitCode?: number;
  /** The signal that ended it: `SIGTERM` … */
  signal?: string;
  /** The kernel ended it, or what it had started, because the place it ran in had no memory left. */
  outOfMemory?: { limitMb: number };
  /**
   * Once it was ended on our behalf: what was ended with it. `control-group`: all that was in a control group of its own,
   * which is all it had started, unless somebody moved some of it elsewhere, and all that carries its mark; `marks`: all that
   * carries its mark. `left` is how many of these were still there at the last look: 0, unless the system would not end them.
   */
  ending?: { by: "control-group" | "marks"; left: number };
  /**
   * Once it was ended on our behalf: processes of the session that are in no command's control group and carry no mark of
   * any command, and so were not ended with one. They end with the session. Absent where nobody can tell.
   */
  unmarked?: number;
  /** What ran it is gone, and with it whatever output was not read: of one that is `lost`, or had ended before. */
  loss?: {
    /** What calls fail with that need to know more: `SANDBOX_LOST`, or on the host `RUNNER_LOST`. */
    code: "SANDBOX_LOST" | "RUNNER_LOST";
    /** The end of a sentence that begins with what is gone. */
    why: string;
  };
  /** It runs on the host itself, beside the view that commands of its workspace are contained in. */
  outside?: true;
  /** While it runs, a port of the view it runs in is reached at `hostPort` of the host's 127.0.0.1. */
  forward?: { port: number; hostPort: number };
  /** It runs on a terminal. */
  pty: boolean;
  /** `open` while `write` has somewhere to write to. */
  stdin: "open" | "closed";
  /** How much it has written. */
  output: OutputTotals;
}

/** Exact, whatever was dropped. `total` is `stdout + stderr`, and where the next byte will be. */
export interface OutputTotals {
  /** Bytes. */
  stdout: number;
  /** Bytes. */
  stderr: number;
  /** Bytes of both. */
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

/** A piece of output. */
export interface OutputChunk {
  /** Where it was written to. */
  stream: OutputStream;
  /** Where its first byte lies in the output of both streams together. */
  offset: number;
  /** Cut anywhere: characters and escape sequences may continue in the next chunk. */
  bytes: Uint8Array;
}

/** Output from one offset to another. */
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
   * Codes: `INVALID_PROCESS`, `ENVIRONMENT_BLOCKED`, `PROGRAM_NOT_FOUND`,
   * `PLAN_CHANGED`, `TOO_MANY_PROCESSES`, `RUNNER_UNAVAILABLE`,
   * `RUNNER_LOST`, and `ABORTED` with the receipt `unknown` when it may have run for a moment.
   *
   * @param options.fence asked by whoever starts it, as the last thing before: `SESSION_LEASE_LOST`, and nothing was started
   */
  start(
    callerId: string,
    spec: ProcessSpec,
    options?: { waitMs?: number; signal?: AbortSignal; fence?: Fence },
  ): Promise<ProcessInfo>;
  /**
   * What programs, scripts and folders are where a command would find them: each name is searched like the
   * command would, a name with a `/` from `cwd` on. `undefined` for those that are not there. `copies`: look also for
   * copies of it among the programs on the `PATH` and in the folders of the system. `content`: read it as well. `shell`: the
   * name of a shell, as {@link ProcessSpec.shell} has it, and no word of a command.
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
    /** Hash of the variables a command would get, those aside that only say how output looks (`TERM`, `LANG` …). */
    environment: string;
    /** The same without what only says where one host keeps temporary files (`TMPDIR`). */
    portableEnvironment?: string;
    /**
     * Those of its variables that say where things are and how output looks: `HOME`, `PATH`, `USER`, `TMPDIR`, `LANG`,
     * `XDG_CONFIG_HOME`, `GIT_…`. None that an operator sets for its programs, which can be secret.
     */
    settings?: Readonly<Record<string, string>>;
  }>;
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
   *
   * @param options.fence as of {@link Processes.start}; also for closing it, and for signals
   */
  write(
    id: string,
    bytes: Uint8Array,
    options?: { waitMs?: number; fence?: Fence },
  ): Promise<{ queued: number }>;
  /** End of file for the process, after what was written. A terminal is sent its end-of-file character. */
  closeStdin(id: string, options?: { fence?: Fence }): Promise<void>;
  /** Sends one signal (`SIGINT` …) to the process and its descendants, or with `tree: false` to itself alone. */
  signal(
    id: string,
    signal: string,
    options?: { tree?: boolean; fence?: Fence },
  ): Promise<{ signalled: number }>;
  /** TERM, the grace time, then KILL for the whole tree, even after the process ended. No fence stops this. */
  kill(id: string, options?: { graceMs?: number }): Promise<ProcessInfo>;
  /** Changes the size of its terminal; without effect once it has ended. Codes: `INVALID_PROCESS`. */
  resize(id: string, size: TerminalSize): Promise<void>;
  /** How it ended; or how it is, when `timeoutMs` ran out first. The end is not held up by children that live on. */
  wait(id: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<ProcessInfo>;
  /**
   * What is to be told of the place since this was last asked, each a sentence or two for whoever runs commands: what was
   * held back of what a command left, which host it did not reach. Absent where there is never anything.
   *
   * @param met a command that ran there, and what it wrote, so that the place can say which of its walls that tells of
   */
  notices?(met?: { command: string; output: string }): readonly string[];
  /** Forgets a process that has ended, and deletes its output. Codes: `INVALID_PROCESS`. */
  release(id: string): Promise<void>;
}
