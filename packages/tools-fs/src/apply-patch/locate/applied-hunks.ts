import { isProof } from "../../changes/match/evidence.ts";
import { createLineMatcher } from "../../changes/match/line-matcher.ts";
import type { SearchBudget } from "../../changes/match/search-budget.ts";
import type { LineTable } from "../../changes/text/line-table.ts";
import { getNewLines, type PatchHunk } from "../parse/patch.ts";
import type { AnchorBlocks } from "./anchor-blocks.ts";

export interface AppliedFinder {
  /** Returns positions of the lines that the hunk leaves. Empty if there are too few lines for a proof. */
  findAppliedLines(hunk: number): { locations: readonly number[]; size: number };
  /** Whether the only anchor, or context that is unique in the file, proves the location. */
  isCertain(hunk: number, start: number, anchors: readonly number[]): boolean;
}

export function createAppliedFinder(
  table: LineTable,
  hunks: readonly PatchHunk[],
  anchorBlocks: AnchorBlocks,
  budget: SearchBudget,
): AppliedFinder {
  const blocks: string[][] = [];
  const add = (lines: string[]): number => blocks.push(lines) - 1;
  const numbered = hunks.map((hunk) => ({
    left: add(leftLinesOf(hunk)),
    context: contextRuns(hunk).map(add),
  }));
  const matcher = createLineMatcher(table, blocks, budget);
  return {
    findAppliedLines(index) {
      const { left } = numbered[index] as (typeof numbered)[number];
      const size = (blocks[left] as string[]).length;
      return {
        locations: isEvidence(hunks[index] as PatchHunk) ? matcher.findBlock(left, "exact") : [],
        size,
      };
    },
    isCertain(index, start, anchors) {
      const { context } = numbered[index] as (typeof numbered)[number];
      const [anchor, another] = anchors;
      const byAnchor =
        anchor !== undefined &&
        another === undefined &&
        (start <= anchor + 1 || anchorBlocks.isWithin(anchor, start));
      return byAnchor || context.some((block) => matcher.findBlock(block, "exact").length === 1);
    },
  };
}

function leftLinesOf(hunk: PatchHunk): string[] {
  const lines = getNewLines(hunk);
  return hunk.trailingBlanks === 0 ? lines : lines.slice(0, -hunk.trailingBlanks);
}

function contextRuns({ lines: all, trailingBlanks }: PatchHunk): string[][] {
  const lines = all.slice(0, all.length - trailingBlanks);
  const runs: string[][] = [];
  let run: string[] = [];
  for (const { kind, text } of lines) {
    if (kind === "context") run.push(text);
    else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  }
  if (run.length > 0) runs.push(run);
  return runs.filter((each) => each.some((text) => /[\p{L}\p{N}]/u.test(text)));
}

function isEvidence({ lines }: PatchHunk): boolean {
  const added = lines.filter(({ kind }) => kind === "add");
  if (added.some(({ text }) => text.trim() !== "")) {
    return isProof(lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text])).join("\n"));
  }
  const remaining = (line: PatchHunk["lines"][number] | undefined): boolean =>
    line?.kind === "context" && line.text.trim() !== "";
  return lines.some(({ kind }) => kind === "remove") && remaining(lines[0]) && remaining(lines.at(-1));
}
