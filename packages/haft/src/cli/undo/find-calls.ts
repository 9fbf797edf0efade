import { HaftError } from "@haft/core";
import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import { listRunCalls, findRuns } from "@haft/history";
import {
  addLaterRuns,
  hasIdPrefix,
  isUndo,
  findRun,
  findUniqueRun,
  callsSince,
  type RewindCalls,
  requireSameWorkspace,
  requireIdleRun,
} from "@haft/history/ledger";
import type { Host } from "@haft/host";
import { commandError } from "../../errors.ts";
import { toConversationKey } from "../ledger/ledger-options.ts";
import { withLedger } from "../ledger/open-ledger.ts";
import type { StoreLocationValues } from "../location/store-location.ts";

/** Searches the ledger, then the journal. */
export async function findCalls(
  host: Host,
  name: string,
  toolCallId: string,
  { workspace, ...location }: { workspace?: string | undefined } & StoreLocationValues,
  dryRun: boolean,
): Promise<RewindCalls> {
  const root = host.workspace.describe().cwd;
  let unknown: HaftError | undefined;
  const inLedger = await withLedger(location, async ({ ledger }) => {
    try {
      const conversation = toConversationKey({ ...(workspace !== undefined && { workspace }) });
      const key = name === "last" ? (await findRun(ledger, name, conversation)).sessionKey : name;
      const runs = (await findRuns(ledger, key, conversation)).filter((one) => !isUndo(one));
      const [run, callId] = await findRunOfCall(ledger, runs, toolCallId);
      requireSameWorkspace(run, root, callId);
      // A conversation has all its runs. A run has none after it.
      const later = runs.slice(runs.indexOf(run) + 1).filter((one) => continues(one, run));
      const calls = await Promise.all([run, ...later].map(({ runId }) => listRunCalls(ledger, runId)));
      if (!dryRun) for (const [index, one] of [run, ...later].entries()) requireIdleRun(one, calls[index]!);
      return addLaterRuns(
        callsSince(run, calls[0]!, callId),
        later.map((one, index) => [one, calls[index + 1]!]),
      );
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "RUN_NOT_FOUND") throw thrown;
      unknown = thrown;
      return undefined;
    }
  });
  return inLedger ?? (await inJournal(host, name, toolCallId)) ?? notFound(name, toolCallId, unknown);
}

/** Finds the newest run with a call. `toolCallId` can be the id of a run, or its beginning: it means the first call of that run. */
async function findRunOfCall(
  ledger: LedgerStore,
  runs: readonly RunRecord[],
  toolCallId: string,
): Promise<[RunRecord, string]> {
  for (const run of runs.toReversed())
    if ((await ledger.call(run.runId, toolCallId)) !== undefined) return [run, toolCallId];
  const named = findUniqueRun(toolCallId, runs.filter((run) => hasIdPrefix(run, toolCallId)).toReversed());
  const [first] = named === undefined ? [] : await listRunCalls(ledger, named.runId);
  if (named !== undefined && first !== undefined) return [named, first.toolCallId];
  const newest = runs.at(-1);
  if (newest === undefined)
    throw commandError(
      "RUN_NOT_FOUND",
      "To revert a change of haft undo, run the command that it printed: haft undo CHANGE.",
    );
  const { runId } = newest;
  throw commandError("RUN_NOT_FOUND", `The run ${runId} has no call ${JSON.stringify(toolCallId)}.`);
}

function continues(run: RunRecord, { facts, workspace }: RunRecord): boolean {
  const { place, cwd } = run.workspace;
  return run.facts.agentId === facts.agentId && place === workspace.place && cwd === workspace.cwd;
}

/** Finds calls without records. */
async function inJournal(host: Host, name: string, toolCallId: string): Promise<RewindCalls | undefined> {
  const ofCall = (await host.changes.list()).flatMap(({ by, at }) =>
    by?.runId !== undefined && by.toolCallId === toolCallId ? [{ ...by, runId: by.runId, at }] : [],
  );
  const newest =
    ofCall.find(({ runId, sessionKey }) => runId === name || (sessionKey === name && name !== "last")) ??
    begunSo(name, ofCall);
  if (newest === undefined) return undefined;
  const { agentId, sessionKey, runId } = newest;
  return {
    agentId,
    sessionKey,
    runIds: [runId],
    calls: new Set([toolCallId]),
    since: newest.at,
  };
}

function begunSo<C extends { runId: string; sessionKey: string }>(
  name: string,
  changes: readonly C[],
): C | undefined {
  const byRun = new Map<string, C>();
  for (const change of changes)
    if (hasIdPrefix(change, name) && !byRun.has(change.runId)) byRun.set(change.runId, change);
  return findUniqueRun(name, [...byRun.values()]);
}

function notFound(name: string, toolCallId: string, unknown: HaftError | undefined): never {
  if (unknown !== undefined) throw unknown;
  const message = `There is no session ${JSON.stringify(name)} with a call ${JSON.stringify(toolCallId)}: nothing is recorded, and no stored change of this folder belongs to it.`;
  throw commandError("RUN_NOT_FOUND", message);
}
