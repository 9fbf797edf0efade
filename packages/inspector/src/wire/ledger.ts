import type { RewindReport } from "@haft/core/kernel";
import type { CallRow } from "./calls.ts";
import type { Run } from "./runs.ts";

/** `GET /api/ledger/compare?a=RUN&b=RUN`: two runs beside each other. */
export interface RunComparison {
  /** The one on the left. */
  a: Run;
  /** The one on the right. */
  b: Run;
  /** In order; of at most 5,000 calls of each. */
  rows: readonly ComparedCall[];
  /** How many of each verdict. */
  counts: Readonly<Record<ComparedCall["verdict"], number>>;
  /** There are more calls than were compared. */
  isCut?: true;
}

/** A call of one run, or of both. */
export interface ComparedCall {
  /** Of `a`. */
  a?: CallRow;
  /** Of `b`. */
  b?: CallRow;
  /** `differs`: the same call ended otherwise. `unsaid`: the same, as far as it is kept. */
  verdict: "same" | "differs" | "unsaid" | "only-a" | "only-b";
  /** What differs, as the rest of a sentence. */
  why?: string;
  /** What differs in results or files. */
  diff?: string;
}

/** `POST /api/undo`. */
export interface UndoRequest {
  /** The session. */
  runId: string;
  /** Files are to be as they were before this call. */
  toolCallId: string;
  /** Say what would happen, and write nothing. Default false. A token that only looks may ask this. */
  dryRun?: boolean;
  /** Put the rest back where files are in conflict. Default false. */
  skipConflicts?: boolean;
}

/** What came of it. */
export type UndoReport = RewindReport;
