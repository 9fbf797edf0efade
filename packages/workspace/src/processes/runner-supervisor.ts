import { RunnerError } from "../runner-error.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";

/** Where the commands of a session are kept apart, and by what. */
export interface Isolation {
  /**
   * `namespace`: a PID namespace of the session's own; nothing in it outlives the session or the host.
   * `group`: process groups and marks; what survives the death of the host is killed at the next start of one.
   */
  kind: "namespace" | "group";
  /** `runner`: a small program beside the host starts them. `host`: the host itself does. */
  startedBy: "runner" | "host";
  /**
   * `maxTasks` counts the tasks of this session, and binds root too. Otherwise it counts all of the user's, and does
   * not bind root.
   */
  limited: boolean;
  /** Why it is not the better one. */
  reason?: string;
}

/** How the commands of a session are started and kept apart. */
export interface IsolationOptions {
  /** `auto` (default) takes a namespace where there is one. `namespace` fails where there is none. */
  isolation?: "auto" | "namespace" | "group";
  /** `host` starts commands in this program. For hosts that stay small, or cannot start Node. */
  startedBy?: "runner" | "host";
  /** Folder for the pipes and the kept output of all sessions; one in the temporary folder by default. */
  stateFolder?: string;
  /** Processes that may run at the same time, 256 by default. */
  maxRunning?: number;
  /** Processes and threads that all commands of the session may have together, 4,096 by default; see {@link Isolation}. */
  maxTasks?: number;
  /** Keep a shell waiting for the next command (default), which makes it start in half the time. */
  spareShell?: boolean;
  /** Make terminals with the program `script` even where `@lydell/node-pty` is installed. */
  scriptTerminals?: boolean;
  /**
   * Told why commands are kept apart less well than they could be, when a program for it is there and is not started,
   * because others may have put it there.
   */
  onReduced?: (why: string) => void;
}

/** What runs the commands, and how it is ended. */
export interface OpenedRunner {
  processes: RunnerProcesses;
  isolation: Isolation;
  end: (graceMs: number) => Promise<void>;
}

/** Starts a runner when the first command needs one, again when one was lost, and ends it with the session. */
export class RunnerSupervisor {
  readonly #options: IsolationOptions;
  readonly #onLost: (why: string) => void;
  #current: Promise<OpenedRunner> | undefined;
  #closed = false;
  /** Known once the first command has started. */
  isolation: Isolation | undefined;

  /** @param onLost told when everything that was running is lost */
  constructor(options: IsolationOptions, onLost: (why: string) => void) {
    this.#options = options;
    this.#onLost = onLost;
  }

  /** @throws RunnerError `RUNNER_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`, `HOST_PROGRAM_MISSING` */
  async backend(): Promise<RunnerProcesses> {
    if (this.#closed) throw new RunnerError("RUNNER_UNAVAILABLE", "this session has ended");
    const current = (this.#current ??= this.#open());
    try {
      const { processes, isolation } = await current;
      this.isolation = isolation;
      return processes;
    } catch (thrown) {
      if (this.#current === current) this.#current = undefined;
      throw thrown;
    }
  }

  /** What is there already, without starting anything. */
  async existing(): Promise<RunnerProcesses | undefined> {
    return (await this.#current?.catch(() => undefined))?.processes;
  }

  /** Ends all processes and the runner. Nothing can be started afterwards. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    const current = this.#current;
    this.#current = undefined;
    await (await current?.catch(() => undefined))?.end(graceMs);
  }

  /** Loaded with the first command: a session that runs none pays nothing for it. */
  async #open(): Promise<OpenedRunner> {
    const { openRunner } = await import("./open-runner.ts");
    return openRunner(this.#options, (why) => {
      this.#current = undefined;
      this.#onLost(why);
    });
  }
}
