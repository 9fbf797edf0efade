import type { FileSystem } from "@haft/plugin-sdk";
import { recordEndedWriter } from "@haft/system";
import { getParentPath } from "../../paths/locate.ts";
import type { JournalEntry, JournalStore } from "../journal/journal.ts";
import { getStepPaths, type TransactionRecord } from "../journal/transaction.ts";
import { withPathLocks } from "../locks/path-locks.ts";
import type { EngineContext, Recovery } from "../plan/change-contract.ts";
import { rollBack, readStepState } from "./roll-back.ts";

/**
 * Looks at every transaction a process that is gone left open in this workspace: one that had done
 * all its steps is marked as committed, any other is rolled back. What cannot be restored is said once:
 * the record is set aside for a person, because to try again later could only undo what people did since.
 * What that process was writing beside its files is removed. A change of one step is never half done, so nothing is
 * said of it.
 */
export async function recover(ground: EngineContext): Promise<Recovery[]> {
  if (ground.target !== "host") return await recoverAll(ground);
  // Of two processes that start at once, one recovers.
  const whole = { path: "the recovery of this workspace", real: `recovery of ${ground.scope}` };
  return await withPathLocks([whole], () => recoverAll(ground));
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

/** Entries of a folder that are looked at for what was left there. */
const MOST_ENTRIES = 100_000;

const isOneStep = ({ steps, folders }: TransactionRecord): boolean =>
  steps.length === 1 && folders.length === 0;

/** Removes what the process of this record, which is gone, was writing when it ended: a listing leaves nothing of that. */
async function sweep(fs: FileSystem, { paths, writer }: JournalEntry): Promise<void> {
  if (writer === undefined) return;
  recordEndedWriter(writer);
  const folders = new Set(paths.map((path) => getParentPath(path) ?? "."));
  // A folder that is gone, or closed by now, holds nothing that could be removed.
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
  // One step was carried out or not: what is there now came after it, and only undo may have a use for the record.
  else if (isOneStep(record)) await journal?.commit(record.id);
  else await journal?.fail(record.id);
  const outcome = failed.length === 0 ? "rolled-back" : "incomplete";
  return { transactionId: record.id, outcome, restored, failed };
}

/** Every step is marked, or only the mark of the last one is missing. */
async function isComplete(fs: FileSystem, { steps, done = [] }: TransactionRecord): Promise<boolean> {
  const next = steps[done.length];
  if (next === undefined) return true;
  return done.length === steps.length - 1 && (await readStepState(fs, next)) === "after";
}
