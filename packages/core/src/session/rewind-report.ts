import type { Workspace } from "../contract/ports.ts";

/** How a session's files are put back. */
export interface RewindOptions {
  /** Say what would happen, and write nothing. Default: false. */
  dryRun?: boolean;
  /** Put the rest back where files are in conflict. Default: false, then nothing is put back. */
  skipConflicts?: boolean;
  /** Ends it as long as nothing has changed. */
  signal?: AbortSignal;
}

/** A file as it was put back, or would be. */
export interface RewoundFile {
  /** As the workspace spells it; relative to its main root where it is in it. */
  path: string;
  /** What putting it back does to it: a file that a call made is `deleted`. */
  kind: "added" | "modified" | "deleted" | "moved";
  /** Where a moved file is put back from. */
  from?: string;
  /** Lines it gets. */
  added: number;
  /** Lines it loses. */
  removed: number;
}

/** A call whose effects stay as they are. */
export interface NotUndone {
  /** Its id in its run. */
  readonly toolCallId: string;
  /** The tool it called. */
  readonly toolName: string;
  /** What it did, on one line, as far as it is known: a command. */
  readonly what?: string;
  /** The rest of a sentence that begins with the call. */
  readonly why: string;
}

/** What came of a rewind, as plain JSON. */
export interface RewindReport {
  /** Files are as they were before this call. */
  readonly toolCallId: string;
  /** Nothing was to be written. */
  readonly dryRun: boolean;
  /** There are conflicts, and they were not to be left out: nothing was written, and `files` is what would be put back. */
  readonly refused: boolean;
  /** Of the one change that put all of them back, by which it is taken back itself. Absent where nothing was written. */
  readonly transactionId?: string;
  /** What was put back, or would be. */
  readonly files: readonly RewoundFile[];
  /** Files that something else changed, and those that hang together with one: left as they are. `why` is the rest of a sentence. */
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
  /** The calls whose changes are put back, in their order; earlier rewinds among them. */
  readonly calls: readonly string[];
  /** Its place in the ledger. Absent where nothing was to be written. */
  readonly recordedAs?: string;
  /** Why it is not recorded how it ended, where it is not. */
  readonly note?: string;
  /** Calls since then that may have changed what is not put back: commands, and changes that no journal has. */
  readonly notUndone: readonly NotUndone[];
}

/** Which changes of files are put back. */
export interface RewindRequest extends RewindOptions {
  /** Whose conversation it is. */
  agentId: string;
  /** Which one. */
  sessionKey: string;
  /** Names the rewind, in the ledger and as the author of its change. */
  toolCallId?: string;
  /** The runs, or openings, that the calls are of. */
  runIds: readonly string[];
  /** The call before which files are to be as they were, and those after it. */
  calls: ReadonlySet<string>;
  /** When the first of them was heard of, in milliseconds since the epoch: changes of these runs after that count as well. */
  since: number;
  /** Where they are put back. */
  workspace: Workspace;
  /** Told the paths of all files that would be changed, before one is. What it throws is thrown. */
  allow: (paths: readonly string[]) => Promise<void>;
}

/** Puts files back by a journal of changes. */
export type Rewind = (
  wanted: RewindRequest,
) => Promise<Omit<RewindReport, "toolCallId" | "notUndone" | "recordedAs" | "note">>;
