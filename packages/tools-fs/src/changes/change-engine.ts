import type { FileSystem, Workspace } from "@haft/core";
import { buildReport } from "./build-report.ts";
import type { ChangeEngine, ChangeEngineOptions, ChangePath } from "./change-contract.ts";
import { commit } from "./commit.ts";
import type { Target } from "./locate.ts";
import { locate, parentOf } from "./locate.ts";
import type { Operation } from "./operations.ts";
import { netChanges, planOperations } from "./operations.ts";
import { inPathQueue, throwIfAborted } from "./path-queue.ts";
import { createPlannedTree } from "./planned-tree.ts";
import { recover } from "./recover.ts";
import type { TransactionRecord } from "./transaction.ts";
import { newTransactionId } from "./transaction.ts";
import { undo } from "./undo.ts";

const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** See {@link ChangeEngine}. Cheap to make; holds no state of its own. */
export function createChangeEngine(options: ChangeEngineOptions): ChangeEngine {
  const { fs, journal } = options;
  const place = options.place ?? "host";
  const scope = `${place}:${options.root ?? ""}`;
  const maxFileBytes = options.maxFileBytes ?? MAX_FILE_BYTES;

  const engine: ChangeEngine = {
    async change({ paths, plan, dryRun = false, refineDiff = false, signal }) {
      const resolve = (): Promise<Target[]> => locateAll(fs, place, paths);
      const run = async (targets: readonly Target[]) => {
        const tree = createPlannedTree({
          fs,
          targets,
          maxFileBytes,
          ...(signal === undefined ? {} : { signal }),
        });
        const value = await plan(tree);
        throwIfAborted(signal);
        const changes = netChanges(tree.files);
        const operations = planOperations(changes);
        const record: TransactionRecord = {
          id: newTransactionId(Date.now()),
          at: Date.now(),
          scope,
          steps: operations.map((operation) => operation.step),
          folders: await missingFolders(fs, operations),
        };
        const commits = operations.length > 0 && !dryRun;
        if (commits) await commit(record, operations, commitOptions(signal));
        const kept = commits && journal !== undefined ? { transactionId: record.id } : {};
        return { report: await buildReport(changes, { dryRun, refine: refineDiff, ...kept }), value };
      };
      return await inPathQueue(fs, resolve, run, signal);
    },
    undo: (id, undoOptions = {}) => undo(engine, { fs, journal, scope }, id, undoOptions),
    recover: () => recover({ fs, journal, scope }),
  };

  const commitOptions = (signal: AbortSignal | undefined) => ({
    fs,
    durable: options.durable ?? false,
    ...(journal === undefined ? {} : { journal }),
    ...(signal === undefined ? {} : { signal }),
  });

  return engine;
}

/** Options of an engine that changes the files of a workspace. */
export function workspaceEngineOptions(
  workspace: Workspace,
): Pick<ChangeEngineOptions, "fs" | "place" | "root"> {
  const { place, cwd } = workspace.describe();
  return { fs: workspace.fs, place, root: cwd };
}

function createdPath(operation: Operation): string | undefined {
  if (operation.kind === "rename") return operation.to;
  return operation.kind === "write" && operation.ifMatch === null ? operation.path : undefined;
}

async function locateAll(fs: FileSystem, place: string, paths: readonly ChangePath[]): Promise<Target[]> {
  const targets: Target[] = [];
  for (const { path, unlink } of paths) targets.push(await locate(fs, place, path, unlink !== true));
  return targets;
}

/** Folders the operations will have to make, outermost first. */
async function missingFolders(fs: FileSystem, operations: readonly Operation[]): Promise<string[]> {
  const present = new Set<string>();
  const missing = new Set<string>();
  for (const operation of operations) {
    const path = createdPath(operation);
    const chain: string[] = [];
    for (let folder = path && parentOf(path); folder !== undefined; folder = parentOf(folder)) {
      if (present.has(folder) || missing.has(folder)) break;
      if ((await fs.stat(folder)) !== undefined) {
        present.add(folder);
        break;
      }
      chain.unshift(folder);
    }
    for (const folder of chain) missing.add(folder);
  }
  return [...missing];
}
