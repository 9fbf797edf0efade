import type { ChildProcess } from "node:child_process";

/**
 * Starts the runner of a session in a view of this machine, so that all its commands run in the view. Only for the packages of this
 * repository: `@haft/sandbox` implements it.
 */
export interface RunnerView {
  /** Variables of the next command whose value in the view differs from the host's. */
  readonly environment: Readonly<Record<string, string>>;
  /** Adds git settings for commands, after the settings in the host's variables. */
  readonly gitSettings?: readonly (readonly [key: string, value: string])[];
  /** Limits one answer of the runner, in milliseconds, in addition to the timeout of the call. Default 30,000. Then the view is ended. */
  readonly answerMs?: number;
  /** Defines additional tasks of the runner in the view. */
  readonly runner?: {
    /** Ports of the view's loopback that lead to unix sockets, by their absolute paths in the view. */
    readonly bridges?: readonly { port: number; socket: string }[];
    /** Absolute path in the view of the socket at which the host requests forwarded ports. */
    readonly forwards?: string;
  };
  /**
   * Checks whether a command may start, while the start is sent to the runner. If it throws, the start fails with that error, and nothing
   * was started.
   */
  readonly ready?: () => Promise<void>;
  /**
   * Prepares one start.
   *
   * @throws HaftError if the view cannot be made; nothing is started then
   */
  prepare(needs: RunnerNeeds): Promise<PreparedView>;
}

/** Lists the files that a view must contain for a runner. */
export interface RunnerNeeds {
  /** The folder of the run, which the runner and its commands write to. */
  folder: string;
  /** Absolute paths that the view contains read-only: the code of the runner, and files of the run that others read. */
  readOnly: readonly string[];
}

/** Represents one start of a runner in a view. */
export interface PreparedView {
  /** Program and arguments before the runner's own. */
  argv: readonly string[];
  /** Path of the runner's Node in the view. */
  node: string;
  /** Open files after the first three. */
  files: readonly (number | "pipe" | "ignore")[];
  /** Called after the start succeeded or failed: the open files then belong to this object. */
  onStarted(child?: ChildProcess): void;
  /**
   * Called after the start, before the first command runs; the runner may not have greeted yet.
   *
   * @throws HaftError if the view is not as intended
   */
  check(): Promise<void>;
  /** Returns the error for a failed start. @param said text on standard error; may be empty */
  explain(said: string): Error;
  /** Returns whether the mounts changed during the start, so that another start may succeed. */
  canRetry(): boolean;
  /** Called when the view has ended with everything in it, or never existed. */
  onEnded(): void;
}
