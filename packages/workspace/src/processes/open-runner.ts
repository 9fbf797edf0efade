import { messageOf, withoutUndefined } from "@haft/core";
import { baseEnvironment } from "../run/environment/environment.ts";
import type { ProcessTableOptions } from "../run/process-table.ts";
import { ProcessTable } from "../run/process-table.ts";
import { RunnerError } from "../runner-error.ts";
import { launchRunner } from "./launch-runner.ts";
import type { Isolation, IsolationOptions, OpenedRunner } from "./runner-supervisor.ts";
import type { Run } from "./state-folder.ts";
import { cleanUp, compileCache, defaultStateFolder, endRun, openRun, removeRun } from "./state-folder.ts";

const MAX_RUNNING = 256;
const MAX_TASKS = 4_096;
/** State folders that were looked through by this program. */
const cleaned = new Set<string>();
/** Why there is no namespace on this machine, once one was tried. */
let noNamespace: string | undefined;

/**
 * Opens what runs the commands of a session: kept apart as well as it can be, or as it has to be.
 *
 * @param onLost told when it was up, and everything that was running is lost
 * @throws RunnerError `RUNNER_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`, `HOST_PROGRAM_MISSING`
 */
export async function openRunner(
  options: IsolationOptions,
  onLost: (why: string) => void,
): Promise<OpenedRunner> {
  const { isolation = "auto", startedBy = "runner", stateFolder = defaultStateFolder() } = options;
  const { maxRunning = MAX_RUNNING, spareShell = true, scriptTerminals = false } = options;
  const run = openRun(stateFolder);
  // Not waited for: what an earlier host left behind is no concern of this command.
  if (!cleaned.has(stateFolder)) void cleanUp(stateFolder).catch(() => {});
  cleaned.add(stateFolder);
  const table = { ...run, maxRunning, spareShell, scriptTerminals };
  if (startedBy === "host") return inHost(run, table, "the host is to start them");
  const inRunner = async (kind: Isolation["kind"], reason?: string): Promise<OpenedRunner> => {
    // The runner finds its own programs where the host does, whatever commands are to find.
    const env = { ...baseEnvironment(), NODE_COMPILE_CACHE: compileCache(stateFolder) };
    const runner = await launchRunner({
      isolation: kind,
      table,
      env,
      maxTasks: options.maxTasks ?? MAX_TASKS,
      onLost: (why) => {
        onLost(why);
        void runner.ended.then(() => endRun(run)).catch(() => {});
      },
    });
    const { client, limited } = runner;
    return {
      processes: client,
      isolation: withoutUndefined<Isolation>({ kind, startedBy: "runner", limited, reason }),
      end: async (graceMs) => {
        await runner.end(graceMs);
        // A runner that had to be killed has left them.
        if (kind === "group") await endRun(run);
        removeRun(run);
      },
    };
  };
  const failed = (thrown: unknown, what: string): string => {
    const reason = `${what}: ${messageOf(thrown)}`;
    // Somebody may want to be taken for less: it is an error, and nothing is done without.
    if (hasCode(thrown, "HOST_PROGRAM_CHANGED")) throw thrown;
    if (hasCode(thrown, "HOST_PROGRAM_REFUSED")) options.onReduced?.(reason);
    return reason;
  };
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

function inHost(run: Run, options: Omit<ProcessTableOptions, "listPids">, reason: string): OpenedRunner {
  const table = new ProcessTable({ ...options, listPids: true });
  return {
    processes: table,
    isolation: { kind: "group", startedBy: "host", limited: false, reason },
    end: async (graceMs) => {
      await table.close(graceMs);
      removeRun(run);
    },
  };
}

function hasCode(thrown: unknown, code: RunnerError["code"]): boolean {
  return thrown instanceof RunnerError && thrown.code === code;
}
