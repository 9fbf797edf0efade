import type { FileSystem, Mount, Workspace } from "@haft/plugin-sdk";
import type { JournalEntry, JournalStore } from "../journal/journal.ts";
import type { TransactionRecord, ChangeAuthor } from "../journal/transaction.ts";
import type { ChangeReport } from "./change-report.ts";
import type { PlannedTree } from "./planned-tree.ts";

/**
 * Contains the options of a change: the files, and how they are changed.
 *
 * @example
 * ```ts
 * import { createDirectoryJournal } from "@haft/tools-fs";
 * import type { ChangeEngineOptions } from "@haft/tools-fs/apply-patch";
 * import { createHostWorkspace } from "@haft/workspace";
 * const { fs } = createHostWorkspace({ root: "/srv/project" });
 * const options: ChangeEngineOptions = { fs, root: "/srv/project", journal: createDirectoryJournal("/var/lib/journal") };
 * ```
 */
export interface ChangeEngineOptions {
  /** Contains the files. */
  fs: FileSystem;
  /** Distinguishes systems in which equal paths are different files (default `host`). */
  target?: string;
  /** Distinguishes workspaces in the journal (default empty). */
  root?: string;
  /** Lists known roots. Changes in a read-only root fail early, also in a dry run. */
  mounts?: readonly Mount[];
  /** Transactions for undo and for recovery after a crash. */
  journal?: JournalStore;
  /** Flushes changed files to disk before success is reported (default false). */
  durable?: boolean;
  /** Limits the size of a file, in bytes; larger files are refused (default 256 MiB). */
  maxFileBytes?: number;
  /** Identifies the session and call that make the changes, for the journal. */
  by?: NonNullable<TransactionRecord["by"]>;
}

export interface EngineContext extends ChangeEngineOptions {
  target: string;
  root: string;
  scope: string;
}

/**
 * Recovery of one interrupted change.
 *
 * @example
 * ```ts
 * import type { Recovery } from "@haft/tools-fs/engine";
 * const unrestored = (all: readonly Recovery[]) => all.flatMap(({ failed }) => failed.map(({ path }) => path));
 * ```
 */
export interface Recovery {
  /** Id of the transaction. */
  transactionId: string;
  /** `finished`: all steps were done. `rolled-back`: every file is as before. `incomplete`: see `failed`. */
  outcome: "finished" | "rolled-back" | "incomplete";
  /** Paths of the restored files. */
  restored: string[];
  /** Files that could not be restored. */
  failed: { path: string; reason: string }[];
}

/**
 * Describes a path that a change may touch.
 *
 * @example
 * ```ts
 * import type { ChangePath } from "@haft/tools-fs/apply-patch";
 * const removable = (paths: readonly ChangePath[]) => paths.filter(({ unlink }) => unlink).map(({ path }) => path);
 * ```
 */
export interface ChangePath {
  /** Contains the path as the caller wrote it. */
  path: string;
  /** Permits removing or renaming the path. A link at the path then means itself. */
  unlink?: boolean;
}

export interface ChangeRequest<Value> {
  paths: readonly ChangePath[];
  /** Plans the change without writing. If it throws, nothing changes. */
  plan: (tree: PlannedTree) => Promise<Value>;
  /** Plans bytes, regardless of encoding (default false: text is planned as UTF-8). */
  asBytes?: boolean;
  dryRun?: boolean;
  /** Refines diffs, because ranges may contain equal lines (default false). */
  refineDiff?: boolean;
  /** Hashes large old contents early for the report (default false). */
  hashBefore?: boolean;
  undoes?: string;
  /** Replaces the author of the engine. */
  by?: NonNullable<TransactionRecord["by"]>;
  signal?: AbortSignal;
}

export interface ChangeResult<Value> {
  report: ChangeReport;
  value: Value;
}

/**
 * Changes files as transactions: it checks everything, then commits all of it or nothing. Changes of one file wait for each other across
 * all engines of the process, and on the host across all processes of the user.
 *
 * @example
 * ```ts
 * import type { ChangeEngine } from "@haft/tools-fs/engine";
 * const undoLast = async (engine: ChangeEngine) => {
 *   const [last] = await engine.list();
 *   return last === undefined ? undefined : engine.undo(last.id);
 * };
 * ```
 */
export interface ChangeEngine {
  /** Makes one change. */
  change<Value>(request: ChangeRequest<Value>): Promise<ChangeResult<Value>>;
  /**
   * Restores every byte of a committed transaction, itself as a transaction.
   *
   * @throws `TRANSACTION_NOT_FOUND`, or `UNDO_CONFLICT` if files changed since
   */
  undo(transactionId: string, options?: { dryRun?: boolean; signal?: AbortSignal }): Promise<ChangeReport>;
  /**
   * Restores files to their state before the first of these changes, in one transaction. Later other changes and dependent files are
   * conflicts. With a conflict nothing changes, unless the request skips conflicts.
   */
  rewind(request: RewindRequest): Promise<RewindResult>;
  /** Returns this workspace's committed transactions in the journal, newest first. */
  list(): Promise<JournalEntry[]>;
  /** Rolls back unfinished changes of crashed processes in this workspace. Call it at start. */
  recover(): Promise<Recovery[]>;
}

/**
 * Returns the options of a change engine that a workspace determines.
 *
 * @param workspace Workspace of the files.
 * @example
 * ```ts
 * import { createChangeEngine, workspaceEngineOptions } from "@haft/tools-fs/engine";
 * import { createHostWorkspace } from "@haft/workspace";
 * const engine = createChangeEngine(workspaceEngineOptions(createHostWorkspace({ root: "/srv/project" })));
 * ```
 */
export function workspaceEngineOptions(
  workspace: Workspace,
): Pick<ChangeEngineOptions, "fs" | "target" | "root" | "mounts"> {
  const { target, cwd, mounts } = workspace.describe();
  return { fs: workspace.fs, target, root: cwd, mounts };
}

export interface RewindRequest {
  /**
   * Selects committed changes with a known author.
   *
   * @param at milliseconds since the epoch
   */
  matches: (by: ChangeAuthor, at: number) => boolean;
  /** Identifies the author of the rewind. */
  by?: ChangeAuthor;
  dryRun?: boolean;
  skipConflicts?: boolean;
  /** Receives the real paths of all files before the first change. Errors abort the rewind. */
  allow?: (paths: readonly string[]) => Promise<void>;
  signal?: AbortSignal;
}

export interface RewindConflict {
  path: string;
  why: string;
}

/**
 * Result of {@link ChangeEngine.rewind}.
 *
 * @example
 * ```ts
 * import type { RewindResult } from "@haft/tools-fs/engine";
 * const explain = ({ refused, conflicts }: RewindResult) =>
 *   refused ? conflicts.map(({ path, why }) => `${path}: ${why}`) : [];
 * ```
 */
export interface RewindResult {
  /** Describes the transaction that restored files, or that would restore them (dry run or conflicts). */
  report: ChangeReport;
  /** Lists files that cannot be restored without losing other changes, and dependent files. */
  conflicts: readonly RewindConflict[];
  /** Whether conflicts prevented all writing. */
  refused: boolean;
  /** Lists the reverted changes, oldest first. */
  undone: readonly { transactionId: string; at: number; by: ChangeAuthor }[];
  /** Lists matching changes that were reverted before, oldest first. */
  undoneBefore: readonly { transactionId: string; at: number; by: ChangeAuthor }[];
}
