import type { ChildProcess } from "node:child_process";

/**
 * Starts the runner of a session in a view of this machine, so that all its commands run in the view. Only for the packages of
 * this repository: `@haft/sandbox` implements it.
 */
export interface RunnerView {
  /** Variables whose value in the view differs from the host's, for the next command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Git settings for commands, in addition to those in the host's variables. */
  readonly gitSettings?: readonly (readonly [key: string, value: string])[];
  /**
   * Milliseconds for one answer of the runner, in addition to what the call itself waits for. Default 30,000. Then the view is
   * ended.
   */
  readonly answerMs?: number;
  /** What the runner does in the view in addition to starting commands. */
  readonly runner?: {
    /** Ports of the view's loopback that lead to unix sockets, by their absolute paths in the view. */
    readonly bridges?: readonly { port: number; socket: string }[];
    /** Absolute path in the view of the socket at which the host requests forwarded ports. */
    readonly forwards?: string;
  };
  /**
   * Checks whether a command may start, while its start is sent to the running runner. If it throws, the start fails with that
   * error, and nothing was started.
   */
  readonly ready?: () => Promise<void>;
  /**
   * Prepares one start.
   *
   * @throws HaftError if the view cannot be made; nothing is started then
   */
  prepare(needs: RunnerNeeds): Promise<PreparedView>;
}

/** What a view must contain for a runner to work in it. */
export interface RunnerNeeds {
  /** The folder of the run. The runner and its commands write there. */
  folder: string;
  /** Absolute paths that the view contains read-only: the code of the runner, and files of the run that others read. */
  readOnly: readonly string[];
}

/** One start of a runner in a view. */
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
  /** Whether the mounts changed during the start, so that another start may succeed. */
  canRetry(): boolean;
  /** Called when the view has ended with everything in it, or never existed. */
  onEnded(): void;
}
