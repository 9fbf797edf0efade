import { RunnerError } from "../runner-error.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";
import type { Isolation, IsolationOptions, OpenedRunner } from "./open-runner.ts";

/** Starts a runner when the first command needs one, again when one was lost, and ends it with the session. */
export class RunnerSupervisor {
  readonly #options: IsolationOptions;
  readonly #onLost: (why: string) => void;
  #current: Promise<OpenedRunner> | undefined;
  #closed = false;
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
