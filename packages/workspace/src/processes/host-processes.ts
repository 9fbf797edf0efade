import type { Processes, Workspace } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { EnvironmentOptions } from "../run/environment/environment.ts";
import { baseEnvironment } from "../run/environment/environment.ts";
import { addGitSettings } from "../run/environment/without-editor.ts";
import type { Isolation, IsolationOptions } from "./open-runner.ts";
import type { ProcessRecords } from "./process-records.ts";
import { RunnerSupervisor } from "./runner-supervisor.ts";
import { SessionProcesses } from "./session-processes.ts";

/** What the commands of a session start from. */
export interface HostProcessesOptions extends IsolationOptions {
  /** Commands start in its folders. */
  workspace: Pick<Workspace, "fs" | "describe">;
  /** Which variables commands get. */
  environment?: EnvironmentOptions;
  /**
   * Which shell runs scripts, unless the caller names one; `sh` by default. The tool `exec` names one, unless its own option
   * says `workspace`, as `createHost` does where this is given and `shell` is not.
   */
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
      place: "host",
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
