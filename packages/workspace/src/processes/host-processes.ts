import type { Processes, Workspace } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { baseEnvironment, type EnvironmentOptions } from "../run/environment/environment.ts";
import { addGitSettings } from "../run/environment/without-editor.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";
import type { Isolation, IsolationOptions, OpenedRunner } from "./open-runner.ts";
import type { ProcessRecords } from "./process-records.ts";
import { SessionProcesses } from "./session-processes.ts";

/**
 * Configures {@link createHostProcesses}.
 *
 * @example
 * ```ts
 * import { createHostWorkspace, type HostProcessesOptions } from "@haft/workspace";
 * const options: HostProcessesOptions = {
 *   workspace: createHostWorkspace({ root: "/srv/project" }),
 *   environment: { inherit: ["JAVA_HOME"] },
 *   shell: "bash",
 *   maxRunning: 16,
 * };
 * ```
 */
export interface HostProcessesOptions extends IsolationOptions {
  /** The workspace whose folders commands start in. */
  workspace: Pick<Workspace, "fs" | "describe">;
  /** Sets the variables of commands. */
  environment?: EnvironmentOptions;
  /** Shell for scripts, unless the caller names one. Default `sh`. The `exec` tool names one, unless its own option is `workspace`. */
  shell?: string;
  /** Stores processes, so that a restarted host finds them. */
  records?: ProcessRecords;
  /** Receives errors of the records. Commands run nevertheless. */
  onStoreFailed?: (thrown: unknown) => void;
}

/**
 * Represents the processes of one session on this machine.
 *
 * @example
 * ```ts
 * import type { HostProcesses } from "@haft/workspace";
 * declare const processes: HostProcesses;
 * const { id } = await processes.start("example", { script: "npm test" });
 * const { exitCode } = await processes.wait(id, { timeoutMs: 120_000 });
 * const { chunks } = await processes.read(id, 0);
 * ```
 */
export interface HostProcesses extends Processes {
  /** The isolation of the processes; `undefined` before the first start. */
  readonly isolation: Isolation | undefined;
  /** Ends the session: sends TERM, waits `graceMs` (default 2,000), then sends KILL, to every process that the session has started. */
  close(options?: { graceMs?: number }): Promise<void>;
  /** Calls {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

const CLOSE_GRACE_MS = 2_000;
/**
 * Opens the processes of a host workspace, for one session. The first command starts the runner; close it with the session. If the host
 * dies first, its processes die with it, or without namespaces at the next start of a host.
 *
 * @example
 * ```ts run
 * import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
 * const workspace = createHostWorkspace({ root: process.cwd() });
 * const processes = createHostProcesses({ workspace, environment: { set: { STAGE: "test" } } });
 * const { id } = await processes.start("call-1", { script: 'test "$STAGE" = production' });
 * const { exitCode } = await processes.wait(id);
 * exitCode; // => 1
 * await processes.close();
 * ```
 */
export function createHostProcesses(options: HostProcessesOptions): HostProcesses {
  requireKnownOptions<HostProcessesOptions>("createHostProcesses", options, {
    workspace: true,
    environment: true,
    shell: true,
    records: true,
    onStoreFailed: true,
    isolation: true,
    startedBy: true,
    stateFolder: true,
    maxRunning: true,
    maxTasks: true,
    controlGroups: true,
    startMs: true,
    spareShell: true,
    scriptTerminals: true,
    view: true,
    onReduced: true,
  });
  return new ProcessesOfHost(options);
}

class ProcessesOfHost extends SessionProcesses implements HostProcesses {
  readonly #runner: RunnerSupervisor;

  constructor(options: HostProcessesOptions) {
    const base = baseEnvironment(options.environment);
    const runner = new RunnerSupervisor(options, (why) => this.loseAll(why));
    super({
      ...options,
      target: "host",
      source: runner,
      base: () => {
        const { environment, gitSettings = [] } = options.view ?? {};
        const variables = { ...base, ...environment };
        return gitSettings.length === 0 ? variables : addGitSettings(variables, gitSettings);
      },
      ready: options.view?.ready,
    });
    this.#runner = runner;
  }

  get isolation(): Isolation | undefined {
    return this.#runner.isolation;
  }

  async close(options: { graceMs?: number } = {}): Promise<void> {
    requireKnownOptions<typeof options>("close", options, { graceMs: true });
    return this.#runner.close(options.graceMs ?? CLOSE_GRACE_MS);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

class RunnerSupervisor {
  readonly #options: IsolationOptions;
  readonly #onLost: (why: string) => void;
  #current: Promise<OpenedRunner> | undefined;
  #closed = false;
  isolation: Isolation | undefined;

  constructor(options: IsolationOptions, onLost: (why: string) => void) {
    this.#options = options;
    this.#onLost = onLost;
  }

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

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    const current = this.#current;
    this.#current = undefined;
    await (await current?.catch(() => undefined))?.end(graceMs);
  }

  async #open(): Promise<OpenedRunner> {
    const { openRunner } = await import("./open-runner.ts");
    return openRunner(this.#options, (why) => {
      this.#current = undefined;
      this.#onLost(why);
    });
  }
}
