import type { RewindReport } from "@haft/core/kernel";
import type { CallRow } from "./calls.ts";
import type { Run } from "./runs.ts";

/** Compared runs: `GET /api/ledger/compare?a=RUN&b=RUN`. */
export interface RunComparison {
  a: Run;
  b: Run;
  /** In order, at most 5,000 calls per run. */
  rows: readonly ComparedCall[];
  counts: Readonly<Record<ComparedCall["verdict"], number>>;
  /** The runs have more calls. */
  isCut?: true;
}

export interface ComparedCall {
  /** In the first run. */
  a?: CallRow;
  /** In the second run. */
  b?: CallRow;
  /** `differs`: the same call ended differently. `unsaid`: the records are equal but incomplete. */
  verdict: "same" | "differs" | "unsaid" | "only-a" | "only-b";
  /** The difference, as the end of a sentence. */
  why?: string;
  /** Differences in results or files. */
  diff?: string;
}

/** The body of `POST /api/undo`. */
export interface UndoRequest {
  runId: string;
  /** Files return to the state before this call. */
  toolCallId: string;
  /** Only reports; a read-only token suffices. Default false. */
  dryRun?: boolean;
  /** Restores the other files if some are in conflict. Default false. */
  skipConflicts?: boolean;
}

export type UndoReport = RewindReport;
