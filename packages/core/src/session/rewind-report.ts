import type { Workspace } from "../contract/ports.ts";

/** Controls a rewind. */
export interface RewindOptions {
  /** Reports without a write. Default false. */
  dryRun?: boolean;
  /** Skips conflicts. Default false: then a conflict prevents all changes. */
  skipConflicts?: boolean;
  /** Ends the rewind if nothing has changed yet. */
  signal?: AbortSignal;
}

/** Describes a file that is or would be restored. */
export interface RewoundFile {
  /** Contains the path as the workspace spells it; relative in the main root. */
  path: string;
  /** States the change. A file that a call added is `deleted`. */
  kind: "added" | "modified" | "deleted" | "moved";
  /** Contains the source of a moved file. */
  from?: string;
  /** Counts new lines. */
  added: number;
  /** Counts removed lines. */
  removed: number;
}

/** Describes a call with remaining effects. */
export interface NotUndone {
  /** Identifies the call in its run. */
  readonly toolCallId: string;
  /** Names the tool. */
  readonly toolName: string;
  /** Describes the call in one line. */
  readonly what?: string;
  /** Ends a sentence about the call: why its effects remain. */
  readonly why: string;
}

/**
 * Describes a rewind, as plain JSON.
 *
 * @example
 * ```ts
 * import type { RewindReport, Session } from "@haft/core/kernel";
 *
 * export async function previewUndo(session: Session, toolCallId: string): Promise<RewindReport["files"]> {
 *   const { files, conflicts } = await session.rewind(toolCallId, { dryRun: true });
 *   for (const { path, why } of conflicts) console.warn(`${path} ${why}`);
 *   return files;
 * }
 * ```
 */
export interface RewindReport {
  /** Identifies the call whose previous state returns. */
  readonly toolCallId: string;
  /** Tells whether it was a dry run. */
  readonly dryRun: boolean;
  /** Tells whether conflicts prevented the rewind; `files` then lists planned changes. */
  readonly refused: boolean;
  /** Identifies the restoring change, to undo it, if any. */
  readonly transactionId?: string;
  /** Lists files that are or would be restored. */
  readonly files: readonly RewoundFile[];
  /** Lists files that something else changed, and dependent files. `why` ends a sentence. */
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
  /** Lists the undone calls, in order. */
  readonly calls: readonly string[];
  /** Identifies the rewind in the ledger. Absent for a dry run. */
  readonly recordedAs?: string;
  /** Explains why the ledger lacks the end of the rewind. */
  readonly note?: string;
  /** Lists later commands and unjournaled changes, whose effects may remain. */
  readonly notUndone: readonly NotUndone[];
}

/** Selects the changes to undo. */
export interface RewindRequest extends RewindOptions {
  /** Identifies the agent. */
  agentId: string;
  /** Identifies the conversation. */
  sessionKey: string;
  /** Identifies the rewind in the ledger. */
  toolCallId?: string;
  /** Identifies the runs of the calls. */
  runIds: readonly string[];
  /** Identifies later runs of the conversation, whose changes are undone as well. */
  laterRunIds?: readonly string[];
  /** Identifies the restored call and all later calls of its run. */
  calls: ReadonlySet<string>;
  /** States when the first call was received, in epoch milliseconds. */
  since: number;
  /** Contains the files. */
  workspace: Workspace;
  /** Checks the paths of all changes first. An error ends the rewind. */
  allow: (paths: readonly string[]) => Promise<void>;
}

/** Names a call of a later run, since each run has a `call_1`. */
export function formatLaterCall(toolCallId: string, runId: string): string {
  return `${toolCallId} of ${runId}`;
}

/** Restores files from a journal of changes. */
export type Rewind = (wanted: RewindRequest) => Promise<
  Omit<RewindReport, "toolCallId" | "notUndone" | "recordedAs" | "note"> & {
    /** Lists calls with changes that were undone before. */
    undoneBefore?: readonly string[];
  }
>;
