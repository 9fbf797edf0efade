import type { RewindReport } from "@haft/core/kernel";
import type { CallRow } from "./calls.ts";
import type { Run } from "./runs.ts";

/** Two runs side by side: `GET /api/ledger/compare?a=RUN&b=RUN`. */
export interface RunComparison {
  /** The first run. */
  a: Run;
  /** The second run. */
  b: Run;
  /** The calls in order, at most 5,000 of each run. */
  rows: readonly ComparedCall[];
  /** Number of calls by verdict. */
  counts: Readonly<Record<ComparedCall["verdict"], number>>;
  /** Set if the runs have more calls than were compared. */
  isCut?: true;
}

/** A call of one run or of both. */
export interface ComparedCall {
  /** The call of the first run. */
  a?: CallRow;
  /** The call of the second run. */
  b?: CallRow;
  /** `differs`: the same call ended in another way. `unsaid`: the calls are the same as far as they are recorded. */
  verdict: "same" | "differs" | "unsaid" | "only-a" | "only-b";
  /** What differs, as the end of a sentence. */
  why?: string;
  /** The differences in results or files. */
  diff?: string;
}

/** The body of `POST /api/undo`. */
export interface UndoRequest {
  /** The id of the session. */
  runId: string;
  /** The call before which the files are restored. */
  toolCallId: string;
  /** Whether to report only, and write nothing. A token that only reads may request this. Default false. */
  dryRun?: boolean;
  /** Whether to restore the other files when some are in conflict. Default false. */
  skipConflicts?: boolean;
}

/** The result of an undo. */
export type UndoReport = RewindReport;
