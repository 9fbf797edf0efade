import type { Workspace } from "../contract/ports.ts";

/** Options for restoring the files of a session. */
export interface RewindOptions {
  /** Whether to report only, and write nothing. Default false. */
  dryRun?: boolean;
  /** Whether to restore the other files if some have conflicts. Default false: then nothing is restored. */
  skipConflicts?: boolean;
  /** Ends the rewind if nothing has changed yet. */
  signal?: AbortSignal;
}

/** A file that was restored, or would be. */
export interface RewoundFile {
  /** The path as the workspace spells it; relative if it is in the main root. */
  path: string;
  /** What the rewind does to the file. A file that a call added is `deleted`. */
  kind: "added" | "modified" | "deleted" | "moved";
  /** The path from which a moved file is restored. */
  from?: string;
  /** The number of lines it gets. */
  added: number;
  /** The number of lines it loses. */
  removed: number;
}

/** A call whose effects remain after a rewind. */
export interface NotUndone {
  /** The id of the call in its run. */
  readonly toolCallId: string;
  /** The tool that was called. */
  readonly toolName: string;
  /** What the call did, in one line, if that is known: a command. */
  readonly what?: string;
  /** Why its effects remain: the end of a sentence whose subject is the call. */
  readonly why: string;
}

/**
 * The result of a rewind, as plain JSON.
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
  /** The call before which the files are restored. */
  readonly toolCallId: string;
  /** Whether nothing was to be written. */
  readonly dryRun: boolean;
  /** Whether conflicts prevented the rewind: nothing was written, and `files` is what would be restored. */
  readonly refused: boolean;
  /** The id of the one change that restored all files; it can be undone by this id. Absent if nothing was written. */
  readonly transactionId?: string;
  /** Files that were restored, or would be. */
  readonly files: readonly RewoundFile[];
  /**
   * Files that something else changed, and files that depend on one; they remain as they are. `why` is the end of a
   * sentence.
   */
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
  /** The calls whose changes are taken back, in order, earlier rewinds included. */
  readonly calls: readonly string[];
  /** The id of the rewind in the ledger. Absent if nothing was to be written. */
  readonly recordedAs?: string;
  /** Why the ledger does not have the end of the rewind, if so. */
  readonly note?: string;
  /** Later calls that may have changed what is not restored: commands, and changes that no journal has. */
  readonly notUndone: readonly NotUndone[];
}

/** The changes of files that a rewind takes back. */
export interface RewindRequest extends RewindOptions {
  /** The agent that holds the conversation. */
  agentId: string;
  /** The identity of the conversation. */
  sessionKey: string;
  /** The id of the rewind in the ledger, and the author of its change. */
  toolCallId?: string;
  /** The runs, or openings, that the calls belong to. */
  runIds: readonly string[];
  /** The ids of the call before which the files are restored, and of all calls after it. */
  calls: ReadonlySet<string>;
  /** When the first of them was received, in milliseconds since the epoch. Later changes of these runs count as well. */
  since: number;
  /** The workspace in which files are restored. */
  workspace: Workspace;
  /**
   * Called with the paths of all files that would change, before the first change. The rewind ends with an error that it
   * throws.
   */
  allow: (paths: readonly string[]) => Promise<void>;
}

/** Restores files from a journal of changes. */
export type Rewind = (
  wanted: RewindRequest,
) => Promise<Omit<RewindReport, "toolCallId" | "notUndone" | "recordedAs" | "note">>;
