import type { ChildProcess } from "node:child_process";

/** Starts the runner of a session, and so all its commands, in a view of this machine. `@haft/sandbox` implements it. */
export interface RunnerView {
  /** Variables whose value in the view differs from the host's, for the next command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Follow the git settings in the host's variables. */
  readonly gitSettings?: readonly (readonly [key: string, value: string])[];
  /** Time for one answer of the runner, in addition to the timeout of the call. Default 30,000. Then the view is ended. */
  readonly answerMs?: number;
  /** Additional tasks of the runner. */
  readonly runner?: {
    /** Ports of the view's loopback that lead to unix sockets. Paths are absolute in the view. */
    readonly bridges?: readonly { port: number; socket: string }[];
    /** Path in the view of the socket at which the host requests forwarded ports. */
    readonly forwards?: string;
  };
  /** Checks whether a command may start, while its start is sent. If it throws, nothing was started. */
  readonly ready?: () => Promise<void>;
  /** @throws HaftError if the view cannot be made; nothing is started then */
  prepare(needs: RunnerNeeds): Promise<PreparedView>;
}

export interface RunnerNeeds {
  /** The runner and its commands write to this folder. */
  folder: string;
  /** The code of the runner, and files of the run that others read. */
  readOnly: readonly string[];
}

export interface PreparedView {
  /** Precede the runner's program and arguments. */
  argv: readonly string[];
  /** In the view. */
  node: string;
  /** Follow the first three open files. */
  files: readonly (number | "pipe" | "ignore")[];
  /** Called after each start, successful or not: the open files then belong to this object. */
  onStarted(child?: ChildProcess): void;
  /** Called before the first command runs; the runner may not have greeted yet. @throws HaftError if the view is not as intended */
  check(): Promise<void>;
  /** @param output text on standard error; may be empty */
  explain(output: string): Error;
  /** Whether the mounts changed during the start, so that another start may succeed. */
  canRetry(): boolean;
  /** Called when the view has ended with everything in it, or never existed. */
  onEnded(): void;
}
