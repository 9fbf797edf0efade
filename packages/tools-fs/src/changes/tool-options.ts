import type { Workspace } from "@haft/plugin-sdk";
import type { JournalStore } from "./journal/journal.ts";

/** How the three tools that change files do it. */
export interface ChangeToolOptions {
  /** Where to change files; the calling session's workspace by default. */
  workspace?: Workspace;
  /** Keeps every change for undo and for recovery after a crash. Without one a failure is still rolled back. */
  journal?: JournalStore;
  /** Flush changed files to disk before reporting success (default false). */
  durable?: boolean;
  /** Larger files are refused, in bytes (default 256 MiB). */
  maxFileBytes?: number;
  /** Said in `details.workspaceOnly`. The boundary itself is the workspace's own. */
  workspaceOnly?: boolean;
}
