import type { FileSystem, Mount, Workspace } from "@haft/plugin-sdk";
import type { JournalEntry, JournalStore } from "../journal/journal.ts";
import type { TransactionRecord, ChangeAuthor } from "../journal/transaction.ts";
import type { ChangeReport } from "./change-report.ts";
import type { PlannedTree } from "./planned-tree.ts";

/**
 * Options of a change: the files, and how they are changed.
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
  /** The file system. */
  fs: FileSystem;
  /** Distinguishes systems in which equal paths are different files (default `host`). */
  target?: string;
  /** Root of the workspace, by which the journal distinguishes workspaces (default empty). */
  root?: string;
  /** Known roots: changes in a read-only root are refused before anything is done, in a dry run, too. */
  mounts?: readonly Mount[];
  /** Stores transactions for undo and for recovery after a crash. */
  journal?: JournalStore;
  /** Whether every changed file is flushed to disk before success is reported (default false). */
  durable?: boolean;
  /** Maximum size of a file in bytes; larger files are refused (default 256 MiB). */
  maxFileBytes?: number;
  /** The session and call that make the changes, for the journal. */
  by?: NonNullable<TransactionRecord["by"]>;
}

export interface EngineContext extends ChangeEngineOptions {
  target: string;
  root: string;
  scope: string;
}

/**
 * The recovery of one change that a crash interrupted.
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
  /** `finished`: everything had been done. `rolled-back`: every file is as before. `incomplete`: see `failed`. */
  outcome: "finished" | "rolled-back" | "incomplete";
  /** Paths of the restored files. */
  restored: string[];
  /** Files that could not be restored. */
  failed: { path: string; reason: string }[];
}

/**
 * A path that a change may touch.
 *
 * @example
 * ```ts
 * import type { ChangePath } from "@haft/tools-fs/apply-patch";
 * const removable = (paths: readonly ChangePath[]) => paths.filter(({ unlink }) => unlink).map(({ path }) => path);
 * ```
 */
export interface ChangePath {
  /** Path as the caller wrote it. */
  path: string;
  /** Whether the path may be removed or renamed: a link there is then meant itself, not its target. */
  unlink?: boolean;
}

export interface ChangeRequest<Value> {
  paths: readonly ChangePath[];
  /** Plans the change. Nothing is written before it returns; what it throws leaves everything as it was. */
  plan: (tree: PlannedTree) => Promise<Value>;
  /** The plan counts in the bytes of files, whatever encoding they are in (default false: text is planned as UTF-8). */
  asBytes?: boolean;
  /** Report what would happen and write nothing (default false). */
  dryRun?: boolean;
  /** Ranges may contain equal lines, so diffs look into them (default false). */
  refineDiff?: boolean;
  /** The report's hashes of old content will be read: large ones are then computed meanwhile (default false). */
  hashBefore?: boolean;
  undoes?: string;
  /** Whose change it is, instead of what the engine says. */
  by?: NonNullable<TransactionRecord["by"]>;
  signal?: AbortSignal;
}

export interface ChangeResult<Value> {
  report: ChangeReport;
  value: Value;
}

/**
 * Changes files as transactions: it plans everything, checks everything, then commits all of it or nothing. Changes of one file wait for
 * each other across all engines of the process, and on the host across all processes of the user.
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
   * @throws `TRANSACTION_NOT_FOUND`, or `UNDO_CONFLICT` when files changed since.
   */
  undo(transactionId: string, options?: { dryRun?: boolean; signal?: AbortSignal }): Promise<ChangeReport>;
  /**
   * Puts files back as they were before the first of these changes, all of them as one transaction. What was changed by
   * anything else since is a conflict, and so is what hangs together with it; with one, nothing is changed, unless the request
   * says to leave conflicts out.
   */
  rewind(request: RewindRequest): Promise<RewindResult>;
  /** The committed transactions of this workspace that its journal still has, newest first. */
  list(): Promise<JournalEntry[]>;
  /** Rolls back what a crashed process left unfinished in this workspace. Call it at start. */
  recover(): Promise<Recovery[]>;
}

/**
 * Returns the options of a change engine that a workspace determines.
 *
 * @param workspace The workspace whose files the engine changes.
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
   * Is a change one of them? Asked for every committed one of this workspace whose author is known.
   *
   * @param at milliseconds since the epoch
   */
  matches: (by: ChangeAuthor, at: number) => boolean;
  /** Whose change putting them back is. */
  by?: ChangeAuthor;
  /** Say what would happen, and write nothing (default false). */
  dryRun?: boolean;
  skipConflicts?: boolean;
  /** Told the real paths of all files that would be changed, before one is. What it throws is thrown. */
  allow?: (paths: readonly string[]) => Promise<void>;
  signal?: AbortSignal;
}

export interface RewindConflict {
  path: string;
  why: string;
}

/**
 * The result of {@link ChangeEngine.rewind}.
 *
 * @example
 * ```ts
 * import type { RewindResult } from "@haft/tools-fs/engine";
 * const explain = ({ refused, conflicts }: RewindResult) =>
 *   refused ? conflicts.map(({ path, why }) => `${path}: ${why}`) : [];
 * ```
 */
export interface RewindResult {
  /** Of the one transaction that put files back; in a dry run, and where conflicts held it off, of the one that would. */
  report: ChangeReport;
  /** Files that cannot be put back without losing what something else did, and those that hang together with one. */
  conflicts: readonly RewindConflict[];
  /** Conflicts held it off: nothing was written. */
  refused: boolean;
  /** The changes that are put back, oldest first. */
  undone: readonly { transactionId: string; at: number; by: ChangeAuthor }[];
}
