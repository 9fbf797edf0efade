import type { Workspace } from "@haft/plugin-sdk";
import type { JournalStore } from "./journal/journal.ts";

/**
 * Contains the options of tools that change files: `write`, `edit` and `apply_patch`.
 *
 * @example
 * ```ts
 * import { createDirectoryJournal, type ChangeToolOptions } from "@haft/tools-fs";
 * const journal = createDirectoryJournal("/var/lib/agent/journal");
 * const options: ChangeToolOptions = { journal, durable: true, maxFileBytes: 16 * 1024 * 1024 };
 * ```
 */
export interface ChangeToolOptions {
  /** Sets the workspace. Default: the workspace of the calling session. */
  workspace?: Workspace;
  /** Stores changes for undo and recovery. Without a journal, a failure is still rolled back. */
  journal?: JournalStore;
  /** Flushes changed files to disk before success is reported (default false). */
  durable?: boolean;
  /** Limits the size of a file, in bytes; larger files are refused (default 256 MiB). */
  maxFileBytes?: number;
  /** Sets `details.workspaceOnly`, not the boundary of the workspace. */
  workspaceOnly?: boolean;
}
