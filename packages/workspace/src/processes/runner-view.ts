import type { ChildProcess } from "node:child_process";

/**
 * Starts the runner of a session in a view of this machine of its own, so that all its commands are in it, too. For the
 * packages of this repository: there is one in `@haft/sandbox`.
 */
export interface RunnerView {
  /** Variables that are otherwise in it than on the host, as they are for the next command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Settings of git for commands, beside those that the variables of the host contain. */
  readonly gitSettings?: readonly (readonly [key: string, value: string])[];
  /** Time its runner has for one answer, beside what the call itself waits for, 30 s by default. After it the view is ended. */
  readonly answerMs?: number;
  /** What its runner does in there beside starting commands. */
  readonly runner?: {
    /** Ports of the loopback there that lead to unix sockets, by their absolute paths there. */
    readonly bridges?: readonly { port: number; socket: string }[];
    /** Absolute path there of the socket at which the host says which ports are to be reached. */
    readonly forwards?: string;
  };
  /**
   * Looks whether a command may begin, while its start is under way to the runner, which is there. What it throws is what the start
   * fails with: then nothing was begun.
   */
  readonly ready?: () => Promise<void>;
  /**
   * Makes what one start needs.
   *
   * @throws HaftError when there can be none; then nothing is started
   */
  prepare(needs: RunnerNeeds): Promise<PreparedView>;
}

/** What has to be in a view for a runner to work there. */
export interface RunnerNeeds {
  /** The folder of its run: it writes there, and so may what it starts. */
  folder: string;
  /** Absolute paths that are there and stay as they are: what it loads, and what others read of its run. */
  readOnly: readonly string[];
}

/** One start of a runner in a view. */
export interface PreparedView {
  /** Program and arguments that come before the runner's own. */
  argv: readonly string[];
  /** The Node its runner runs on, by its path there. */
  node: string;
  /** Its open files, after the first three. */
  files: readonly (number | "pipe" | "ignore")[];
  /** It was started, or could not be: the open files are its own now. */
  onStarted(child?: ChildProcess): void;
  /**
   * It was started, may not have greeted yet, and nobody's command runs there.
   *
   * @throws HaftError when the view is not what it was to be
   */
  check(): Promise<void>;
  /** What is thrown when it did not come up. @param said on its standard error; empty when it said nothing */
  explain(said: string): Error;
  /** Whether what it was made of changed while it was started, so that another start may come up where this one did not. */
  canRetry(): boolean;
  /** It is gone, with everything in it; or was never there. */
  onEnded(): void;
}
