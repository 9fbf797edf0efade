import { shellWord } from "@haft/config/internal/files";
import type { CallRecord, RewindRequest } from "@haft/core/internal";
import type { RewoundCall } from "@haft/core/internal/records";
import type { RunRecord } from "@haft/core/kernel";
import { historyError } from "../../errors.ts";

export interface RewindCalls extends Pick<
  RewindRequest,
  "agentId" | "sessionKey" | "runIds" | "calls" | "since"
> {
  /** Their run; absent where only the journal knows of them. */
  run?: RunRecord;
  /** As they were recorded; absent where only the journal knows of them. */
  records?: readonly RewoundCall[];
}

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

/** @throws HaftError `RUN_ELSEWHERE` where its files are not those of this host */
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
          `Put them back there: \`haft undo ${runId} --to ${shellWord(toolCallId)} --workspace ${shellWord(cwd)}\``,
        ]
      : [
          `in a ${place}, in its folder ${cwd}`,
          "Only the session itself reaches them, as long as it is open: session.rewind().",
        ];
  throw historyError("RUN_ELSEWHERE", `The run ${runId} changed its files ${where}, and not here.`, { fix });
}

/** @throws HaftError `REWIND_BUSY` while one is on its way that could change files behind what is put back */
export function requireIdleRun({ runId, heldBy }: RunRecord, calls: readonly CallRecord[]): void {
  const busy = calls.find(
    ({ status, tool }) => status === "executing" && tool?.effects.every((one) => one === "read") !== true,
  );
  if (busy === undefined || heldBy === undefined) return;
  const { toolCallId, toolName } = busy;
  const message = `Nothing was put back: ${toolCallId} (${toolName}) of the run ${runId} still runs, in process ${heldBy.pid} on ${heldBy.host}.`;
  throw historyError("REWIND_BUSY", message, { details: { runId, toolCallId } });
}
