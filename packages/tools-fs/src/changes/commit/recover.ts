import type { FileSystem } from "@haft/plugin-sdk";
import { recordEndedWriter } from "@haft/system";
import { getParentPath } from "../../paths/locate.ts";
import type { JournalEntry, JournalStore } from "../journal/journal.ts";
import { getStepPaths, type TransactionRecord } from "../journal/transaction.ts";
import { withPathLocks } from "../locks/path-locks.ts";
import type { EngineContext, Recovery } from "../plan/change-contract.ts";
import { rollBack, readStepState } from "./roll-back.ts";

/**
 * Commits complete transactions of ended processes and rolls back others. If files cannot be restored, the record is marked as failed for a
 * person, because a later attempt could overwrite newer work. Temporary files are removed. Changes with one step are atomic and not
 * reported.
 */
export async function recover(context: EngineContext): Promise<Recovery[]> {
  if (context.target !== "host") return await recoverAll(context);
  // If two processes start at once, only one recovers.
  const whole = { path: "the recovery of this workspace", real: `recovery of ${context.scope}` };
  return await withPathLocks([whole], () => recoverAll(context));
}

async function recoverAll({ fs, journal, target, scope }: EngineContext): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const entry of (await journal?.list({ unfinished: true })) ?? []) {
    if (entry.state !== "open" || entry.scope !== scope) continue;
    const record = await journal?.load(entry.id);
    if (record === undefined) continue;
    const work = async () => {
      if (target === "host") await sweep(fs, entry);
      return await recoverOne(fs, journal, record);
    };
    const targets = record.steps.flatMap(getStepPaths).map((real) => ({ path: real, real }));
    const recovery = await (target === "host" ? withPathLocks(targets, work) : work());
    if (!isOneStep(record)) recoveries.push(recovery);
  }
  return recoveries;
}

const MOST_ENTRIES = 100_000;

const isOneStep = ({ steps, folders }: TransactionRecord): boolean =>
  steps.length === 1 && folders.length === 0;

async function sweep(fs: FileSystem, { paths, writer }: JournalEntry): Promise<void> {
  if (writer === undefined) return;
  recordEndedWriter(writer);
  const folders = new Set(paths.map((path) => getParentPath(path) ?? "."));
  for (const folder of folders) await fs.list(folder, { limit: MOST_ENTRIES }).catch(() => undefined);
}

async function recoverOne(
  fs: FileSystem,
  journal: JournalStore | undefined,
  record: TransactionRecord,
): Promise<Recovery> {
  if (await isComplete(fs, record)) {
    await journal?.commit(record.id);
    return { transactionId: record.id, outcome: "finished", restored: [], failed: [] };
  }
  const { restored, failed } = await rollBack(fs, record, { done: record.done ?? [], inDoubt: true });
  if (failed.length === 0) await journal?.remove(record.id);
  // A single step is complete or missing. Only undo may use the record, because later changes replaced the result.
  else if (isOneStep(record)) await journal?.commit(record.id);
  else await journal?.fail(record.id);
  const outcome = failed.length === 0 ? "rolled-back" : "incomplete";
  return { transactionId: record.id, outcome, restored, failed };
}

async function isComplete(fs: FileSystem, { steps, done = [] }: TransactionRecord): Promise<boolean> {
  const next = steps[done.length];
  if (next === undefined) return true;
  return done.length === steps.length - 1 && (await readStepState(fs, next)) === "after";
}
