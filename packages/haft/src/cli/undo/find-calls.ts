import { HaftError } from "@haft/core";
import type { LedgerStore, RunRecord } from "@haft/core/kernel";
import { listRunCalls, findRuns } from "@haft/history";
import {
  hasIdPrefix,
  isUndo,
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
      const runs = (await findRuns(ledger, name, conversation)).filter((one) => !isUndo(one));
      const run = await runWith(ledger, runs, toolCallId);
      requireSameWorkspace(run, root, toolCallId);
      const all = await listRunCalls(ledger, run.runId);
      if (!dryRun) requireIdleRun(run, all);
      return callsSince(run, all, toolCallId);
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "RUN_NOT_FOUND") throw thrown;
      unknown = thrown;
      return undefined;
    }
  });
  return inLedger ?? (await inJournal(host, name, toolCallId)) ?? notFound(name, toolCallId, unknown);
}

async function runWith(
  ledger: LedgerStore,
  runs: readonly RunRecord[],
  toolCallId: string,
): Promise<RunRecord> {
  for (const run of runs.toReversed())
    if ((await ledger.call(run.runId, toolCallId)) !== undefined) return run;
  const newest = runs.at(-1);
  if (newest === undefined)
    throw commandError(
      "RUN_NOT_FOUND",
      "To revert a change of haft undo, run the command that it printed: haft undo CHANGE.",
    );
  const { runId } = newest;
  throw commandError("RUN_NOT_FOUND", `The run ${runId} has no call ${JSON.stringify(toolCallId)}.`);
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
