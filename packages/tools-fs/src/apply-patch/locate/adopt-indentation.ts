import {
  isIndentationSyntax,
  type IndentationMap,
  getIndentation,
  isReindented,
  mapIndentation,
} from "../../changes/match/indentation.ts";
import { type LineTable, lineText } from "../../changes/text/line-table.ts";
import { type HunkLine, getOldLines } from "../parse/patch.ts";
import type { HunkPlacement } from "./hunk-placement.ts";

interface Run {
  lines: readonly HunkLine[];
  /** Range of old lines: removed lines and one line around them. */
  from: number;
  to: number;
}

/**
 * Adapts the new lines of a hunk to another indentation in the file by a rule. Without a rule they stay unchanged, or the hunk conflicts if
 * indentation is syntax.
 */
export function adoptIndentation(path: string, table: LineTable, placement: HunkPlacement): HunkPlacement {
  if (placement.kind !== "located") return placement;
  const { hunk, start, size, pass } = placement;
  if (pass === "exact" || pass === "trailing-space") return placement;
  const requested = getOldLines(hunk).slice(0, size);
  const there = requested.map((_, index) => lineText(table, start + index));
  if (!isReindented(requested, there, 0, size)) return placement;
  const map = mapIndentation(requested, there);
  const lines: HunkLine[] = [];
  let newLines: "adopted" | "as-given" | undefined;
  for (const run of runsOf(hunk.lines)) {
    const touches = run.lines.some(isIndented) && isReindented(requested, there, run.from, run.to);
    const adopted = touches ? run.lines.map((line) => adopt(line, map)) : run.lines;
    const isKnown = adopted.every((line) => line !== undefined);
    if (!isKnown && isIndentationSyntax(path))
      return { kind: "conflict", hunk, reason: "indentation", start };
    lines.push(...(isKnown ? adopted : run.lines));
    if (touches) newLines = isKnown ? (newLines ?? "adopted") : "as-given";
  }
  return newLines === undefined ? placement : { ...placement, hunk: { ...hunk, lines }, newLines };
}

const isIndented = ({ kind, text }: HunkLine): boolean => kind === "add" && text.trim() !== "";

function adopt(line: HunkLine, map: IndentationMap): HunkLine | undefined {
  if (!isIndented(line)) return line;
  const given = getIndentation(line.text);
  const indentation = map(given);
  return indentation === undefined
    ? undefined
    : { ...line, text: indentation + line.text.slice(given.length) };
}

function runsOf(lines: readonly HunkLine[]): Run[] {
  const runs: Run[] = [];
  let old = 0;
  for (let at = 0; at < lines.length;) {
    const first = at;
    const from = old - 1;
    while (at < lines.length && (at === first || (isChange(lines[at]) && isChange(lines[first])))) {
      if (lines[at]?.kind !== "add") old += 1;
      at += 1;
    }
    runs.push({ lines: lines.slice(first, at), from, to: old + 1 });
  }
  return runs;
}

const isChange = (line: HunkLine | undefined): boolean => line !== undefined && line.kind !== "context";
