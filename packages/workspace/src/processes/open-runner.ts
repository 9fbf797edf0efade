import { getErrorMessage } from "@haft/core";
import { RunnerError } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { DEFAULT_MAX_RUNNING, MAX_TASKS } from "../defaults.ts";
import { baseEnvironment } from "../run/environment/environment.ts";
import { ProcessTable, type ProcessTableOptions } from "../run/process-table.ts";
import type { RunnerProcesses } from "../wire/protocol.ts";
import { launchRunner, SilentRunnerError } from "./launch-runner.ts";
import type { RunnerView } from "./runner-view.ts";
import type { RunnerRun } from "./state-folder.ts";
import {
  cleanUp,
  getCompileCacheFolder,
  defaultProcessFolder,
  endRun,
  ensureCompileCacheFolder,
  reserveRecords,
  openRun,
  removeRun,
} from "./state-folder.ts";

/** Describes the isolation of a session's commands. */
export interface Isolation {
  /** `namespace`: a PID namespace, which ends with the session or the host. `group`: process groups and marks; a later host kills them. */
  kind: "namespace" | "group";
  /** `runner`: a small program next to the host starts the commands. `host`: the host itself does. */
  startedBy: "runner" | "host";
  /** Whether `maxTasks` counts only tasks of this session, and also binds root. Otherwise, it counts all tasks of the user. */
  limited: boolean;
  /** Defines how commands end. `control-groups`: with their control group. `marks`: with descendants, process group and marks. */
  ends: "control-groups" | "marks";
  /** The reason, if a better isolation was not available. */
  reason?: string;
}

/**
 * Configures the start and isolation of commands.
 *
 * @example
 * ```ts
 * import type { IsolationOptions } from "@haft/workspace";
 * const options: IsolationOptions = { isolation: "namespace", maxTasks: 512, stateFolder: "/run/agent" };
 * ```
 */
export interface IsolationOptions {
  /** `auto` (default): a namespace if one is available. `namespace`: starts fail without one. `group`: process groups and marks. */
  isolation?: "auto" | "namespace" | "group";
  /** Selects the program that starts commands. Default `runner`. `host`: this process, for hosts that stay small or cannot start Node. */
  startedBy?: "runner" | "host";
  /** Folder for the pipes and stored output of all sessions. Default: a folder in the temporary folder. */
  stateFolder?: string;
  /** Limits concurrent processes. Default 256. */
  maxRunning?: number;
  /** Limits the processes and threads of all commands of the session. Default 4,096; see {@link Isolation}. */
  maxTasks?: number;
  /** Whether each command gets a control group if this user may create one (default true: on Linux, with a runner and without a view). */
  controlGroups?: boolean;
  /** Limits the start of a runner, in milliseconds. Default 60,000. */
  startMs?: number;
  /** Whether a shell waits for the next command (default true), which halves the start time. */
  spareShell?: boolean;
  /** If true, terminals use the program `script` even if `@lydell/node-pty` is installed. */
  scriptTerminals?: boolean;
  /**
   * Sets the view that commands run in, always with a runner in a namespace.
   * @internal for the packages of this repository
   */
  view?: RunnerView;
  /** Receives the reason of a weaker isolation: a program for it is not started, because others may have changed it. */
  onReduced?: (why: string) => void;
}

export interface OpenedRunner {
  processes: RunnerProcesses;
  isolation: Isolation;
  end: (graceMs: number) => Promise<void>;
}

const cleaned = new Set<string>();
let noNamespace: string | undefined;

/** Throws errors of the runner or its view. `onLost` reports a later loss. */
export async function openRunner(
  options: IsolationOptions,
  onLost: (why: string) => void,
): Promise<OpenedRunner> {
  const { isolation, startedBy, stateFolder = defaultProcessFolder(), view } = options;
  if (view !== undefined && (isolation === "group" || startedBy === "host")) {
    const why = "commands that are contained in a view of the machine are started by a runner in a namespace";
    throw new RunnerError("RUNNER_UNAVAILABLE", `${why}, but the options exclude that`);
  }
  const run = openRun(stateFolder);
  if (!cleaned.has(stateFolder)) void cleanUp(stateFolder).catch(() => {});
  cleaned.add(stateFolder);
  try {
    return await openIn(run, { ...options, stateFolder }, onLost);
  } catch (thrown) {
    removeRun(run);
    throw thrown;
  }
}

async function openIn(
  run: RunnerRun,
  options: IsolationOptions & { stateFolder: string },
  onLost: (why: string) => void,
): Promise<OpenedRunner> {
  const { isolation = "auto", startedBy = "runner", stateFolder, view } = options;
  const { maxRunning = DEFAULT_MAX_RUNNING, spareShell = true, scriptTerminals = false } = options;
  const table = { ...run, maxRunning, spareShell, scriptTerminals };
  if (startedBy === "host") return inHost(run, table, "the host starts them");
  const inRunner = async (kind: Isolation["kind"], reason?: string): Promise<OpenedRunner> => {
    // The runner does not use the path of commands.
    const env = { ...baseEnvironment(), NODE_COMPILE_CACHE: getCompileCacheFolder(stateFolder) };
    const runner = await launchRunner({
      isolation: kind,
      table,
      controlGroups: options.controlGroups ?? true,
      env,
      ...(view !== undefined && {
        view,
        readOnly: [...reserveRecords(run), ensureCompileCacheFolder(stateFolder)],
      }),
      maxTasks: options.maxTasks ?? MAX_TASKS,
      startMs: options.startMs,
      onLost: (why) => {
        onLost(why);
        void runner.ended.then(() => endRun(run)).catch(() => {});
      },
    });
    const { client, limited } = runner;
    const ends = runner.hasGroups ? "control-groups" : "marks";
    return {
      processes: client,
      isolation: withoutUndefined<Isolation>({ kind, startedBy: "runner", limited, ends, reason }),
      end: async (graceMs) => {
        await runner.end(graceMs);
        // A killed runner has left processes.
        if (kind === "group") await endRun(run);
        removeRun(run);
      },
    };
  };
  const failed = (thrown: unknown, what: string): string => {
    const reason = `${what}: ${getErrorMessage(thrown)}`;
    // Otherwise, other users could force a weaker isolation.
    if (hasCode(thrown, "HOST_PROGRAM_CHANGED")) throw thrown;
    // A busy machine must not weaken the isolation.
    if (thrown instanceof SilentRunnerError) throw thrown;
    if (hasCode(thrown, "host-program-refused")) options.onReduced?.(reason);
    return reason;
  };
  if (view !== undefined) return inRunner("namespace");
  let reason = isolation === "group" ? "the options exclude a namespace" : noNamespace;
  if (reason === undefined) {
    try {
      return await inRunner("namespace");
    } catch (thrown) {
      if (isolation === "namespace") throw thrown;
      reason = failed(thrown, "no namespace is available");
    }
  }
  try {
    const opened = await inRunner("group", reason);
    // So the namespace was the reason for the failure.
    if (isolation === "auto") noNamespace = reason;
    return opened;
  } catch (thrown) {
    return inHost(run, table, failed(thrown, "no runner can be started"));
  }
}

function inHost(
  run: RunnerRun,
  options: Omit<ProcessTableOptions, "listPids">,
  reason: string,
): OpenedRunner {
  const table = new ProcessTable({ ...options, listPids: true });
  return {
    processes: table,
    isolation: { kind: "group", startedBy: "host", limited: false, ends: "marks", reason },
    end: async (graceMs) => {
      await table.close(graceMs);
      removeRun(run);
    },
  };
}

function hasCode(thrown: unknown, code: RunnerError["code"]): boolean {
  return thrown instanceof RunnerError && thrown.code === code;
}
