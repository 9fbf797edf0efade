import type { ToolContext, Workspace } from "@haft/core";
import type { ChangeEngine } from "./change-contract.ts";
import { createChangeEngine, workspaceEngineOptions } from "./change-engine.ts";
import type { JournalStore } from "./journal.ts";

/** What the three changing tools have in common. */
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

export function engineFor(options: ChangeToolOptions, context: Pick<ToolContext, "workspace">): ChangeEngine {
  const { journal, durable, maxFileBytes } = options;
  return createChangeEngine({
    ...workspaceEngineOptions(options.workspace ?? context.workspace),
    ...(journal === undefined ? {} : { journal }),
    ...(durable === undefined ? {} : { durable }),
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
  });
}

/**
 * What `details.workspaceOnly` says: as the options do, and by the name of the seeds for the host's tools always.
 */
export function isWorkspaceOnly(options: ChangeToolOptions, context: ToolContext): boolean | undefined {
  if (options.workspaceOnly !== undefined) return options.workspaceOnly;
  // A tool that brings its own workspace is also called without a session.
  const { toolName } = (context ?? {}) as Partial<ToolContext>;
  if (!toolName?.startsWith("host_workspace_")) return undefined;
  return (options.workspace ?? context.workspace).describe().boundary !== "none";
}

/** Other spellings of `path`, accepted by every file tool. */
export const PATH_ALIASES = ["file_path", "filePath", "file"] as const;
