import { type FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { MAX_FILE_BYTES } from "../defaults.ts";
import { fileToolError, rewordError } from "../errors.ts";
import { requireDistinctNames } from "../paths/distinct-names.ts";
import { locate, getParentPath, type ChangeTarget } from "../paths/locate.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { commit } from "./commit/commit.ts";
import { recover } from "./commit/recover.ts";
import { rewind } from "./commit/rewind/rewind.ts";
import { undoChange } from "./commit/undo.ts";
import type { JournalEntry } from "./journal/journal.ts";
import type { TransactionRecord, TransactionStep } from "./journal/transaction.ts";
import { getCreatedPath, newTransactionId } from "./journal/transaction.ts";
import { withPathLocks } from "./locks/path-locks.ts";
import { inPathQueue, throwIfAborted } from "./locks/path-queue.ts";
import { addHashes, buildReport } from "./plan/build-report.ts";
import type {
  ChangeResult,
  ChangeEngine,
  ChangeEngineOptions,
  ChangePath,
  ChangeRequest,
  EngineContext,
} from "./plan/change-contract.ts";
import { type NetChange, netChanges, planOperations } from "./plan/operations.ts";
import { createPlannedTree } from "./plan/planned-tree.ts";
import { requireWritable } from "./plan/preconditions.ts";
import { prepareHash } from "./text/content-hash.ts";

export function createChangeEngine(options: ChangeEngineOptions): ChangeEngine {
  const { target = "host", root = "" } = options;
  const context: EngineContext = { ...options, target, root, scope: `${target}:${root}` };
  const engine: ChangeEngine = {
    change: (request) => change(context, request),
    undo: (id, undoOptions = {}) => undoChange(engine, context, id, undoOptions),
    rewind: (request) => rewind(engine, context, request),
    list: () => list(context),
    recover: () => recover(context),
  };
  return engine;
}

async function list({ journal, scope }: EngineContext): Promise<JournalEntry[]> {
  const entries = (await journal?.list()) ?? [];
  return entries.filter((entry) => entry.state === "committed" && entry.scope === scope).toReversed();
}

function change<Value>(context: EngineContext, request: ChangeRequest<Value>): Promise<ChangeResult<Value>> {
  const { fs, target } = context;
  return inPathQueue(
    fs,
    () => beforeAnyChange(() => locateAll(fs, target, request.paths)),
    (targets) => {
      const work = () => run(context, targets, request);
      // Real paths of other targets are not files of this machine.
      if (target !== "host" || request.dryRun === true) return work();
      return withPathLocks(targets, work, withoutUndefined({ signal: request.signal }));
    },
    request.signal,
  );
}

async function run<Value>(
  context: EngineContext,
  targets: readonly ChangeTarget[],
  request: ChangeRequest<Value>,
): Promise<ChangeResult<Value>> {
  const { fs, journal, scope, maxFileBytes = MAX_FILE_BYTES } = context;
  const { plan, asBytes, dryRun = false, undoes, by = context.by, signal } = request;
  const hashBefore = request.hashBefore === true || journal !== undefined;
  const prepared = await beforeAnyChange(async () => {
    const options = { fs, targets, maxFileBytes, asBytes, hashBefore, signal };
    const tree = createPlannedTree(withoutUndefined(options));
    const value = await plan(tree);
    throwIfAborted(signal);
    const changes = netChanges(tree.files);
    if (undoes === undefined) await requireNewNames(fs, changes);
    const hashed = prepareHashes(changes, hashBefore);
    const operations = planOperations(changes);
    const steps = operations.map((operation) => operation.step);
    requireWritable(steps, context.mounts ?? []);
    const at = Date.now();
    const folders = await foldersToMake(fs, steps);
    const id = newTransactionId(at, context.target);
    const record: TransactionRecord = withoutUndefined({
      id,
      at,
      scope,
      by,
      undoes,
      steps,
      folders,
    });
    // The report precedes the commit, because nothing may fail after it.
    const report = await buildReport(changes, request);
    if (journal !== undefined) await hashed;
    return { value, changes, hashed, operations, record, report };
  });
  const { value, changes, hashed, operations, record, report } = prepared;
  const commits = operations.length > 0 && !dryRun;
  const others = commits ? await commit(record, operations, context, signal) : undefined;
  await hashed;
  const complete = addHashes(report, changes, others);
  return {
    report: commits && journal !== undefined ? { ...complete, transactionId: record.id } : complete,
    value,
  };
}

function requireNewNames(fs: FileSystem, changes: readonly NetChange[]): Promise<void> {
  const created = changes.filter(
    ({ kind, file }) => (kind === "added" || kind === "moved") && file.before === undefined,
  );
  const removed = changes.map(
    ({ kind, file, from }) => (kind === "deleted" ? file : from)?.target.real ?? "",
  );
  return requireDistinctNames(
    fs,
    created.map(({ file }) => file.target),
    new Set(removed),
  );
}

/** Hashes large files in slices during other work. Only the journal needs hashes of old content. */
async function prepareHashes(changes: readonly NetChange[], both: boolean): Promise<void> {
  const contents = changes.flatMap(({ before, after }) => [both ? before : undefined, after]);
  await Promise.all(contents.flatMap((bytes) => (bytes === undefined ? [] : prepareHash(bytes))));
}

async function locateAll(
  fs: FileSystem,
  system: string,
  paths: readonly ChangePath[],
): Promise<ChangeTarget[]> {
  const targets: ChangeTarget[] = [];
  const turns = new EventLoopYielder();
  for (const { path, unlink = false } of paths) {
    targets.push(await locate(fs, system, path, { unlink }));
    await turns.pause();
  }
  const taken = new Set(
    targets.flatMap(({ path, at, unlink, real }) => (path === at && unlink ? [real] : [])),
  );
  for (const [index, target] of targets.entries()) {
    const { path, unlink } = target;
    if (target.at !== path && taken.has(target.real))
      targets[index] = await locate(fs, system, path, { unlink, exact: true });
  }
  return targets;
}

async function beforeAnyChange<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!HaftError.is(error) || error.receipt !== undefined) throw error;
    throw rewordError(error, error.message, { receipt: "none", cause: error });
  }
}

/**
 * Returns folders that the steps must create, outermost first.
 *
 * @throws `NOT_A_DIRECTORY` if a remaining file is at the path of a folder
 */
async function foldersToMake(fs: FileSystem, steps: readonly TransactionStep[]): Promise<string[]> {
  const present = new Set<string>();
  const missing = new Set<string>();
  const removed = new Set(steps.flatMap((step) => (step.kind === "remove" ? [step.path] : [])));
  const turns = new EventLoopYielder();
  for (const step of steps) {
    await turns.pause();
    const path = getCreatedPath(step);
    const chain: string[] = [];
    for (let folder = path && getParentPath(path); folder !== undefined; folder = getParentPath(folder)) {
      if (present.has(folder) || missing.has(folder)) break;
      const found = await fs.stat(folder);
      if (found?.type === "directory") {
        present.add(folder);
        break;
      }
      if (found !== undefined && !removed.has(folder)) throw fileInTheWay(folder);
      chain.unshift(folder);
    }
    for (const folder of chain) missing.add(folder);
  }
  return [...missing];
}

function fileInTheWay(path: string): HaftError {
  const message = `${path} is a file, but a folder is needed.`;
  const fix = "Choose another path, or delete that file first in the same change.";
  return fileToolError("NOT_A_DIRECTORY", message, { fix, details: { path }, receipt: "none" });
}
