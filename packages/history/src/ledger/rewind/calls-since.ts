import { type CallRecord, formatLaterCall, type RewindRequest } from "@haft/core/internal";
import type { RewoundCall } from "@haft/core/internal/records";
import type { RunRecord } from "@haft/core/kernel";
import { shellWord } from "@haft/utils";
import { historyError } from "../../errors.ts";

/**
 * Describes the calls whose file changes an undo reverts.
 *
 * @example
 * ```ts
 * import type { RewindCalls } from "@haft/history/ledger";
 * const format = ({ calls, since }: RewindCalls) => `${calls.size} calls since ${new Date(since).toISOString()}`;
 * ```
 */
export interface RewindCalls extends Pick<
  RewindRequest,
  "agentId" | "sessionKey" | "runIds" | "laterRunIds" | "calls" | "since"
> {
  /** Absent if only the journal has the calls. */
  run?: RunRecord;
  /** Absent if only the journal has the calls. */
  records?: readonly RewoundCall[];
}

/**
 * Returns a call of a run and all later calls, for an undo.
 *
 * @param all All calls of the run, in order.
 * @throws HaftError `RUN_NOT_FOUND` if the run has no such call
 *
 * @example
 * ```ts
 * import type { LedgerStore, RunRecord } from "@haft/core/kernel";
 * import { callsSince } from "@haft/history/ledger";
 * import { listRunCalls } from "@haft/history";
 * declare const ledger: LedgerStore;
 * declare const run: RunRecord;
 * const { calls } = callsSince(run, await listRunCalls(ledger, run.runId), "call_17");
 * ```
 */
export function callsSince(run: RunRecord, all: readonly CallRecord[], toolCallId: string): RewindCalls {
  const first = all.findIndex((call) => call.toolCallId === toolCallId);
  const named = all[first];
  if (named === undefined)
    throw historyError("RUN_NOT_FOUND", `The run ${run.runId} has no call ${JSON.stringify(toolCallId)}.`);
  const calls = all.slice(first).filter(({ status }) => status !== "gap");
  return {
    run,
    agentId: run.facts.agentId,
    sessionKey: run.sessionKey,
    runIds: [run.runId],
    calls: new Set(calls.map((call) => call.toolCallId)),
    since: named.createdAt,
    records: calls.map((call) => ({ ...call, effects: call.tool?.effects })),
  };
}

/**
 * Adds all calls of later runs of the same conversation and agent in the same folder.
 *
 * @param later Pairs of a run and its calls, in order.
 * @example
 * ```ts
 * import { addLaterRuns, type RewindCalls } from "@haft/history/ledger";
 * declare const first: RewindCalls;
 * declare const later: Parameters<typeof addLaterRuns>[1];
 * const { laterRunIds } = addLaterRuns(first, later);
 * ```
 */
export function addLaterRuns(
  first: RewindCalls,
  later: readonly (readonly [RunRecord, readonly CallRecord[]])[],
): RewindCalls {
  const records = later.flatMap(([{ runId }, calls]) =>
    calls
      .filter(({ status }) => status !== "gap")
      .map((call) => ({
        ...call,
        toolCallId: formatLaterCall(call.toolCallId, runId),
        effects: call.tool?.effects,
      })),
  );
  return {
    ...first,
    laterRunIds: later.map(([{ runId }]) => runId),
    records: [...(first.records ?? []), ...records],
  };
}

/**
 * Checks that a run's files are on this host.
 *
 * @param root Real path of the workspace.
 * @param toolCallId The call of the undo, for the error.
 * @throws HaftError `RUN_ELSEWHERE` if they are in another folder, in a sandbox or on another machine
 *
 * @example
 * ```ts
 * import type { RunRecord } from "@haft/core/kernel";
 * import type { Host } from "@haft/host";
 * import { requireSameWorkspace } from "@haft/history/ledger";
 * declare const host: Host;
 * declare const run: RunRecord;
 * requireSameWorkspace(run, host.workspace.describe().cwd, "call_17");
 * ```
 */
export function requireSameWorkspace(
  { runId, workspace: { place, cwd } }: RunRecord,
  root: string,
  toolCallId: string,
): void {
  if (place === "host" && cwd === root) return;
  const [where, fix] =
    place === "host"
      ? [
          `in the folder ${cwd}`,
          `Restore them there: \`haft undo ${runId} --to ${shellWord(toolCallId)} --workspace ${shellWord(cwd)}\``,
        ]
      : [`in a ${place}, in its folder ${cwd}`, "Only the open session can restore them: session.rewind()."];
  throw historyError("RUN_ELSEWHERE", `The run ${runId} changed files ${where}, not here.`, { fix });
}

/**
 * Checks that no active call of a run can change files.
 *
 * @throws HaftError `REWIND_BUSY` with the active call
 *
 * @example
 * ```ts
 * import type { LedgerStore, RunRecord } from "@haft/core/kernel";
 * import { listRunCalls } from "@haft/history";
 * import { requireIdleRun } from "@haft/history/ledger";
 * declare const ledger: LedgerStore;
 * declare const run: RunRecord;
 * requireIdleRun(run, await listRunCalls(ledger, run.runId));
 * ```
 */
export function requireIdleRun({ runId, heldBy }: RunRecord, calls: readonly CallRecord[]): void {
  const busy = calls.find(
    ({ status, tool }) => status === "executing" && tool?.effects.every((one) => one === "read") !== true,
  );
  if (busy === undefined || heldBy === undefined) return;
  const { toolCallId, toolName } = busy;
  const message = `No file was restored: ${toolCallId} (${toolName}) of the run ${runId} still runs, in process ${heldBy.pid} on ${heldBy.host}.`;
  throw historyError("REWIND_BUSY", message, { details: { runId, toolCallId } });
}
