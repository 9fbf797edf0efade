import { getErrorMessage, withoutUndefined } from "@haft/core";
import { DEFAULT_MAX_RUNNING, MAX_TASKS } from "../defaults.ts";
import { baseEnvironment } from "../run/environment/environment.ts";
import { ProcessTable, type ProcessTableOptions } from "../run/process-table.ts";
import { RunnerError } from "../runner-error.ts";
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
  /**
   * What a command is ended with. `control-groups`: everything in a control group of its own, which is whatever it started,
   * however that got out of sight. `marks`: everything below it, in its process group, or with its mark.
   */
  ends: "control-groups" | "marks";
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
  /**
   * `false` makes no control group for each command even where this user may (default: it does, on Linux, where a runner
   * starts them and there is no view).
   */
  controlGroups?: boolean;
  /** Milliseconds a runner has to come up, 60,000 by default. */
  startMs?: number;
  /** Keep a shell waiting for the next command (default), which makes it start in half the time. */
  spareShell?: boolean;
  /** Make terminals with the program `script` even where `@lydell/node-pty` is installed. */
  scriptTerminals?: boolean;
  /**
   * Commands run in this view of the machine, or not at all: it is always a runner in a namespace that starts them.
   *
   * @internal for the packages of this repository
   */
  view?: RunnerView;
  /**
   * Told why commands are kept apart less well than they could be, when a program for it is there and is not started,
   * because others may have put it there.
   */
  onReduced?: (why: string) => void;
}

export interface OpenedRunner {
  processes: RunnerProcesses;
  isolation: Isolation;
  end: (graceMs: number) => Promise<void>;
}

const cleaned = new Set<string>();
/** Why there is no namespace on this machine, once one was tried. */
let noNamespace: string | undefined;

/** Opens what runs the commands. `onLost` is told when a running one is lost. Throws what a runner or view throws. */
export async function openRunner(
  options: IsolationOptions,
  onLost: (why: string) => void,
): Promise<OpenedRunner> {
  const { isolation, startedBy, stateFolder = defaultProcessFolder(), view } = options;
  if (view !== undefined && (isolation === "group" || startedBy === "host")) {
    const why = "commands that are contained in a view of the machine are started by a runner in a namespace";
    throw new RunnerError("RUNNER_UNAVAILABLE", `${why}, and that was not to be`);
  }
  const run = openRun(stateFolder);
  // Not waited for: what an earlier host left behind is no concern of this command.
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
  if (startedBy === "host") return inHost(run, table, "the host is to start them");
  const inRunner = async (kind: Isolation["kind"], reason?: string): Promise<OpenedRunner> => {
    // The runner finds its own programs where the host does, whatever commands are to find.
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
        // A runner that had to be killed has left them.
        if (kind === "group") await endRun(run);
        removeRun(run);
      },
    };
  };
  const failed = (thrown: unknown, what: string): string => {
    const reason = `${what}: ${getErrorMessage(thrown)}`;
    // Somebody may want to be taken for less: it is an error, and nothing is done without.
    if (hasCode(thrown, "HOST_PROGRAM_CHANGED")) throw thrown;
    // A busy machine is no reason to keep commands apart less well.
    if (thrown instanceof SilentRunnerError) throw thrown;
    if (hasCode(thrown, "host-program-refused")) options.onReduced?.(reason);
    return reason;
  };
  if (view !== undefined) return inRunner("namespace");
  let reason = isolation === "group" ? "no namespace is wanted" : noNamespace;
  if (reason === undefined) {
    try {
      return await inRunner("namespace");
    } catch (thrown) {
      if (isolation === "namespace") throw thrown;
      reason = failed(thrown, "no namespace can be had");
    }
  }
  try {
    const opened = await inRunner("group", reason);
    // The runner starts, so it was the namespace that did not.
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
