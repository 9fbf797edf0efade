import { messageOf, withoutUndefined } from "@haft/core";
import type { ProcessTableOptions } from "../run/process-table.ts";
import { ProcessTable } from "../run/process-table.ts";
import { RunnerError } from "../runner-error.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";
import type { LaunchedRunner } from "./launch-runner.ts";
import { launchRunner } from "./launch-runner.ts";
import type { Run } from "./state-folder.ts";
import { cleanUp, compileCache, defaultStateFolder, endRun, openRun, removeRun } from "./state-folder.ts";

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

export interface SupervisorOptions extends IsolationOptions {
  /** Variables of the runner itself. */
  env: Readonly<Record<string, string>>;
  /** Everything that was running is lost. */
  onLost: (why: string) => void;
}

/** What runs the commands, and how it is ended. */
interface Opened {
  processes: RunnerProcesses;
  isolation: Isolation;
  end: (graceMs: number) => Promise<void>;
}

const MAX_RUNNING = 256;
const MAX_TASKS = 4_096;
/** State folders that were looked through by this program. */
const cleaned = new Map<string, Promise<void>>();
/** Why there is no namespace on this machine, once one was tried. */
let noNamespace: string | undefined;

/** Starts a runner when the first command needs one, again when one was lost, and ends it with the session. */
export class RunnerSupervisor {
  readonly #options: SupervisorOptions;
  #current: Promise<Opened> | undefined;
  #isolation: Isolation | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Known once the first command has started. */
  get isolation(): Isolation | undefined {
    return this.#isolation;
  }

  /** @throws RunnerError `RUNNER_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`, `HOST_PROGRAM_MISSING` */
  async backend(): Promise<RunnerProcesses> {
    if (this.#closed) throw new RunnerError("RUNNER_UNAVAILABLE", "this session has ended");
    const current = (this.#current ??= this.#open());
    try {
      const { processes, isolation } = await current;
      this.#isolation = isolation;
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

  async #open(): Promise<Opened> {
    const { isolation = "auto", startedBy = "runner" } = this.#options;
    const stateFolder = this.#options.stateFolder ?? defaultStateFolder();
    const run = openRun(stateFolder);
    // Not waited for: what an earlier host left behind is no concern of this command.
    void cleanOnce(stateFolder);
    if (startedBy === "host") return this.#inHost(run, "the host is to start them");
    let reason = isolation === "group" ? "no namespace is wanted" : noNamespace;
    if (reason === undefined) {
      try {
        return await this.#inRunner(run, "namespace");
      } catch (thrown) {
        if (isolation === "namespace" || isChanged(thrown)) throw thrown;
        reason = `no namespace can be had: ${messageOf(thrown)}`;
        if (isRefused(thrown)) this.#options.onReduced?.(reason);
      }
    }
    try {
      const opened = await this.#inRunner(run, "group", reason);
      // The runner starts, so it was the namespace that did not.
      if (isolation === "auto") noNamespace = reason;
      return opened;
    } catch (thrown) {
      if (isChanged(thrown)) throw thrown;
      const none = `no runner can be started: ${messageOf(thrown)}`;
      if (isRefused(thrown)) this.#options.onReduced?.(none);
      return this.#inHost(run, none);
    }
  }

  async #inRunner(run: Run, isolation: Isolation["kind"], reason?: string): Promise<Opened> {
    const { stateFolder = defaultStateFolder(), maxTasks = MAX_TASKS } = this.#options;
    const env = { ...this.#options.env, NODE_COMPILE_CACHE: compileCache(stateFolder) };
    const table = this.#tableOptions(run);
    const onLost = (why: string): void => this.#lose(run, runner, why);
    const runner = await launchRunner({ isolation, table, env, maxTasks, onLost });
    return {
      processes: runner.client,
      isolation: withoutUndefined({
        kind: isolation,
        startedBy: "runner",
        limited: runner.limited,
        reason,
      }),
      end: async (graceMs) => {
        await runner.end(graceMs);
        // A runner that had to be killed has left them.
        if (isolation === "group") await endRun(run);
        removeRun(run);
      },
    };
  }

  #inHost(run: Run, reason: string): Opened {
    const table = new ProcessTable({ ...this.#tableOptions(run), listPids: true });
    return {
      processes: table,
      isolation: { kind: "group", startedBy: "host", limited: false, reason },
      end: async (graceMs) => {
        await table.close(graceMs);
        removeRun(run);
      },
    };
  }

  #lose(run: Run, runner: LaunchedRunner, why: string): void {
    this.#current = undefined;
    this.#options.onLost(why);
    void runner.ended.then(() => endRun(run)).catch(() => {});
  }

  #tableOptions({ runId, folder }: Run): Omit<ProcessTableOptions, "listPids"> {
    const { maxRunning = MAX_RUNNING, spareShell = true, scriptTerminals = false } = this.#options;
    return { runId, folder, maxRunning, spareShell, scriptTerminals };
  }
}

/** Somebody may want to be taken for less: it is an error, and nothing is done without. */
function isChanged(thrown: unknown): boolean {
  return thrown instanceof RunnerError && thrown.code === "HOST_PROGRAM_CHANGED";
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof RunnerError && thrown.code === "HOST_PROGRAM_REFUSED";
}

function cleanOnce(stateFolder: string): Promise<void> {
  let cleaning = cleaned.get(stateFolder);
  if (cleaning === undefined) {
    cleaning = cleanUp(stateFolder).catch(() => {});
    cleaned.set(stateFolder, cleaning);
  }
  return cleaning;
}
