import type { FileSystem } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { MAX_FILE_BYTES } from "../../../defaults.ts";
import type { JournalEntry } from "../../journal/journal.ts";
import {
  type ChangeAuthor,
  getStepPaths,
  type TransactionRecord,
  type TransactionStep,
} from "../../journal/transaction.ts";
import type {
  ChangeEngine,
  ChangePath,
  EngineContext,
  RewindRequest,
  RewindResult,
} from "../../plan/change-contract.ts";
import type { PlannedTree } from "../../plan/planned-tree.ts";
import { contentHash } from "../../text/content-hash.ts";
import { changedDuringCommitError, removeFolders } from "../roll-back.ts";
import { toRelativeStep, planStep } from "../undo.ts";
import { readFileState, type FileState, unwind } from "./unwind.ts";

type Authored = TransactionRecord & { by: ChangeAuthor };
type UndoneChange = RewindResult["undone"][number];

export async function rewind(
  engine: Pick<ChangeEngine, "change" | "recover">,
  context: EngineContext,
  request: RewindRequest,
): Promise<RewindResult> {
  const { fs, root, maxFileBytes = MAX_FILE_BYTES } = context;
  const { dryRun = false, skipConflicts = false, allow, by, signal } = request;
  // Unfinished changes of ended processes would look like changes by other programs.
  if (!dryRun) await engine.recover();
  const { records, undoneBefore } = await choose(context, request);
  const paths = [...new Set(records.flatMap(({ steps }) => steps.flatMap(getStepPaths)))];
  const now = new Map<string, FileState>();
  for (const path of paths) now.set(path, await readFileState(fs, path, maxFileBytes, signal));
  const { conflicts, isHeld } = unwind(records, now);
  const refused = conflicts.length > 0 && !skipConflicts;
  const rest = records.map((record) => withSteps(record, (step) => !isHeld(step)));
  const named = rest.map((record) => ({
    ...record,
    steps: record.steps.map((step) => toRelativeStep(root, step)),
  }));
  const standing = new Map(paths.map((path) => [path, now.get(path)!]));
  const left = rest.flatMap(({ steps }) => steps.flatMap(getStepPaths));
  if (allow !== undefined && left.length > 0) await allow([...new Set(left)]);
  const { report } = await engine.change({
    paths: asTargets(named),
    plan: async (tree) => {
      await requireUnchanged(tree, rest, named, standing);
      for (const record of named.toReversed())
        for (const step of record.steps.toReversed()) await planStep(tree, record, step);
    },
    asBytes: true,
    dryRun: dryRun || refused,
    ...withoutUndefined({ by, signal }),
  });
  if (!dryRun && !refused) await removeMade(fs, rest);
  const undone = records.map((record) => ({ transactionId: record.id, at: record.at, by: record.by }));
  return { report, conflicts, refused, undone, undoneBefore };
}

async function choose(
  { journal, scope }: EngineContext,
  { matches }: RewindRequest,
): Promise<{ records: Authored[]; undoneBefore: UndoneChange[] }> {
  const entries = ((await journal?.list()) ?? []).filter(
    (entry: JournalEntry) => entry.scope === scope && entry.state === "committed",
  );
  const undone = findUndone(entries);
  const undoneBefore: UndoneChange[] = [];
  const records: Authored[] = [];
  for (const { id, by, at, undoes } of entries) {
    if (by === undefined || !matches(by, at)) continue;
    if (undone.has(id)) {
      if (undoes === undefined) undoneBefore.push({ transactionId: id, at, by });
      continue;
    }
    const record = await journal!.load(id);
    // Another process may just have pruned the record.
    if (record !== undefined) records.push({ ...record, by });
  }
  return { records, undoneBefore };
}

function withSteps(record: Authored, isRemaining: (step: TransactionStep) => boolean): Authored {
  const remaining = [...record.steps.entries()].filter(([, step]) => isRemaining(step));
  const { done } = record;
  return withoutUndefined({
    ...record,
    steps: remaining.map(([, step]) => step),
    done: done && remaining.map(([index]) => done[index] ?? null),
  });
}

function asTargets(records: readonly TransactionRecord[]): ChangePath[] {
  const paths = new Set(records.flatMap(({ steps }) => steps.flatMap(getStepPaths)));
  return [...paths].map((path) => ({ path, unlink: true }));
}

/** The locks block other changes during this check. */
async function requireUnchanged(
  tree: PlannedTree,
  real: readonly TransactionRecord[],
  named: readonly TransactionRecord[],
  now: ReadonlyMap<string, FileState>,
): Promise<void> {
  const reals = real.flatMap(({ steps }) => steps.flatMap(getStepPaths));
  const names = named.flatMap(({ steps }) => steps.flatMap(getStepPaths));
  for (const [index, path] of reals.entries()) {
    const { target, before } = await tree.file(names[index]!, true);
    const { hash, version } = now.get(path)!;
    const same =
      before === undefined
        ? hash === null
        : before.unreadable === undefined
          ? hash === contentHash(before.bytes)
          : version === before.stat.version;
    if (!same || before?.link === true || target.real !== path) throw changedDuringCommitError(path);
  }
}

async function removeMade(fs: FileSystem, records: readonly TransactionRecord[]): Promise<void> {
  for (const { folders } of records.toReversed()) await removeFolders(fs, folders);
}

/** Returns the undone changes, and the changes that undid them. */
function findUndone(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const undone = new Set<string>();
  // Newest first, because an undo may be undone.
  for (const { id, undoes } of entries.toReversed()) {
    if (undoes === undefined || undone.has(id)) continue;
    undone.add(id);
    undone.add(undoes);
  }
  return undone;
}
