import type { SearchBudget } from "../changes/match/search-budget.ts";
import type { LineEnding } from "../changes/text/file-text.ts";
import { buildLineTable } from "../changes/text/line-table.ts";
import type { Splice } from "../changes/text/splice.ts";
import { adoptIndentation } from "./locate/adopt-indentation.ts";
import type { PatchConflict } from "./locate/conflict.ts";
import { explainConflict } from "./locate/explain-conflict.ts";
import type { HunkPlacement } from "./locate/hunk-placement.ts";
import { hunkSplices } from "./locate/hunk-splices.ts";
import { finalBudget, iterateHunkPlacements } from "./locate/locate-hunks.ts";
import type { PatchHunk } from "./parse/patch.ts";

export interface LocateJob {
  path: string;
  bytes: Uint8Array;
  hunks: readonly PatchHunk[];
  ending: LineEnding;
  explained: number;
}

export interface LocatedSection {
  placements: HunkPlacement[];
  conflicts: PatchConflict[];
  splices: Splice[];
}

interface PlacingOptions {
  /** Default: final, and linear in the section. */
  budget?: SearchBudget;
  pause?: () => Promise<void> | undefined;
}

const EXPLAIN_STEPS = 20;

/**
 * Locates all hunks of one update.
 *
 * @throws BudgetExceededError for a budget that is not final
 */
export async function locateSection(job: LocateJob, options: PlacingOptions = {}): Promise<LocatedSection> {
  const { path, bytes, hunks, ending, explained } = job;
  const table = buildLineTable(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const { budget = finalBudget(table, hunks), pause } = options;
  const placements: HunkPlacement[] = [];
  const conflicts: PatchConflict[] = [];
  for (const found of iterateHunkPlacements(table, hunks, budget)) {
    const placement = adoptIndentation(path, table, found);
    placements.push(placement);
    await pause?.();
    if (placement.kind !== "conflict") continue;
    const index = placements.length - 1;
    // Explanations are expensive, so only displayed conflicts get them.
    if (conflicts.length >= explained) {
      conflicts.push({ code: "HUNK_NOT_FOUND", path, patchLine: placement.hunk.line, hunk: index });
      continue;
    }
    budget.read(EXPLAIN_STEPS * bytes.length);
    conflicts.push(explainConflict(path, table, placement, index));
    await pause?.();
  }
  if (conflicts.length > 0) return { placements, conflicts, splices: [] };
  const located = placements.filter((placement) => placement.kind === "located");
  return { placements, conflicts, splices: hunkSplices(table, located, ending) };
}
