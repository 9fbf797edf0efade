import type { Processes, Workspace } from "@haft/core";
import type { EnvironmentOptions } from "../run/environment/environment.ts";
import { baseEnvironment } from "../run/environment/environment.ts";
import { RunnerError } from "../runner-error.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";
import type { ProcessRecords } from "./process-records.ts";
import type { Isolation, IsolationOptions, RunnerSupervisor } from "./runner-supervisor.ts";
import { SessionProcesses } from "./session-processes.ts";

/** What the commands of a session start from. */
export interface HostProcessesOptions extends IsolationOptions {
  /** Commands start in its folders. */
  workspace: Pick<Workspace, "fs" | "describe">;
  /** Which variables commands get. */
  environment?: EnvironmentOptions;
  /** Which shell runs scripts, unless the caller names one; `sh` by default. */
  shell?: string;
  /** Remembers processes across restarts of the host. */
  records?: ProcessRecords;
  /** Told when the records cannot be read or written; commands run all the same. */
  onStoreFailed?: (thrown: unknown) => void;
}

/** The processes of one session on this machine. */
export interface HostProcesses extends Processes {
  /** How they are kept apart; `undefined` before the first one. */
  readonly isolation: Isolation | undefined;
  /** The end of the session: TERM, `graceMs` (2,000 by default), KILL, for everything it ever started. */
  close(options?: { graceMs?: number }): Promise<void>;
  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const CLOSE_GRACE_MS = 2_000;
/**
 * Opens the process side of a host workspace, for one session. Nothing is started before the first command; close it
 * with the session. Should the host die first, its processes die with it or, without namespaces, at the next start
 * of a host.
 */
export function createHostProcesses(options: HostProcessesOptions): HostProcesses {
  return new ProcessesOfHost(options);
}

class ProcessesOfHost extends SessionProcesses implements HostProcesses {
  readonly #host: LazySupervisor;

  constructor(options: HostProcessesOptions) {
    const base = baseEnvironment(options.environment);
    const host = new LazySupervisor(options, (why) => this.loseAll(why));
    super({ ...options, place: "host", source: host, base: () => base });
    this.#host = host;
  }

  get isolation(): Isolation | undefined {
    return this.#host.runner?.isolation;
  }

  close({ graceMs = CLOSE_GRACE_MS }: { graceMs?: number } = {}): Promise<void> {
    return this.#host.close(graceMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Loaded with the first command: a session that runs none pays nothing for it. */
class LazySupervisor {
  readonly #options: HostProcessesOptions;
  readonly #onLost: (why: string) => void;
  #opening: Promise<RunnerSupervisor> | undefined;
  #closed = false;
  runner: RunnerSupervisor | undefined;

  constructor(options: HostProcessesOptions, onLost: (why: string) => void) {
    this.#options = options;
    this.#onLost = onLost;
  }

  async backend(): Promise<RunnerProcesses> {
    if (this.#closed) throw new RunnerError("RUNNER_UNAVAILABLE", "this session has ended");
    this.#opening ??= this.#load();
    return (await this.#opening).backend();
  }

  async existing(): Promise<RunnerProcesses | undefined> {
    return this.runner?.existing();
  }

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    await (await this.#opening)?.close(graceMs);
  }

  async #load(): Promise<RunnerSupervisor> {
    const { RunnerSupervisor } = await import("./runner-supervisor.ts");
    // The runner finds its own programs where the host does, whatever commands are to find.
    const env = baseEnvironment();
    this.runner = new RunnerSupervisor({ ...this.#options, env, onLost: this.#onLost });
    return this.runner;
  }
}
