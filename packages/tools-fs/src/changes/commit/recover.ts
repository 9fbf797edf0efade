import type { FileSystem } from "@haft/plugin-sdk";
import type { JournalStore } from "../journal/journal.ts";
import { pathsOf, type TransactionRecord } from "../journal/transaction.ts";
import { withPathLocks } from "../locks/path-locks.ts";
import type { EngineGround, Recovery } from "../plan/change-contract.ts";
import { rollBack, stateOf } from "./roll-back.ts";

/**
 * Looks at every transaction a process that is gone left open in this workspace: one that had done
 * all its steps is marked as committed, any other is rolled back. What cannot be restored is said once:
 * the record is set aside for a person, because to try again later could only undo what people did since.
 */
export async function recover(ground: EngineGround): Promise<Recovery[]> {
  if (ground.place !== "host") return await recoverAll(ground);
  // Of two processes that start at once, one recovers.
  const whole = { path: "the recovery of this workspace", real: `recovery of ${ground.scope}` };
  return await withPathLocks([whole], () => recoverAll(ground));
}

async function recoverAll({ fs, journal, place, scope }: EngineGround): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const entry of (await journal?.list({ unfinished: true })) ?? []) {
    if (entry.state !== "open" || entry.scope !== scope) continue;
    const record = await journal?.load(entry.id);
    if (record === undefined) continue;
    const work = () => recoverOne(fs, journal, record);
    const targets = record.steps.flatMap(pathsOf).map((real) => ({ path: real, real }));
    recoveries.push(await (place === "host" ? withPathLocks(targets, work) : work()));
  }
  return recoveries;
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
  else await journal?.fail(record.id);
  const outcome = failed.length === 0 ? "rolled-back" : "incomplete";
  return { transactionId: record.id, outcome, restored, failed };
}

/** Every step is marked, or only the mark of the last one is missing. */
async function isComplete(fs: FileSystem, { steps, done = [] }: TransactionRecord): Promise<boolean> {
  const next = steps[done.length];
  if (next === undefined) return true;
  return done.length === steps.length - 1 && (await stateOf(fs, next)) === "after";
}
