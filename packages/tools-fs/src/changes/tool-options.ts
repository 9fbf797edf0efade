import type { Workspace } from "@haft/plugin-sdk";
import type { JournalStore } from "./journal/journal.ts";

/**
 * Options of the tools that change files: `write`, `edit` and `apply_patch`.
 *
 * @example
 * ```ts
 * import { createDirectoryJournal, type ChangeToolOptions } from "@haft/tools-fs";
 * const journal = createDirectoryJournal("/var/lib/agent/journal");
 * const options: ChangeToolOptions = { journal, durable: true, maxFileBytes: 16 * 1024 * 1024 };
 * ```
 */
export interface ChangeToolOptions {
  /** The workspace of the files. Default: the workspace of the calling session. */
  workspace?: Workspace;
  /** Stores every change for undo and for recovery after a crash. Without a journal, a failure is still rolled back. */
  journal?: JournalStore;
  /** Whether changed files are flushed to disk before success is reported (default false). */
  durable?: boolean;
  /** Maximum size of a file in bytes; larger files are refused (default 256 MiB). */
  maxFileBytes?: number;
  /** Value of `details.workspaceOnly`. It does not change the boundary, which belongs to the workspace. */
  workspaceOnly?: boolean;
}
