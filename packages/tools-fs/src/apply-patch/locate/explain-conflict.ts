import { withoutUndefined } from "@haft/utils";
import { guessCause } from "../../changes/match/guess-cause.ts";
import { createLineMatcher } from "../../changes/match/line-matcher.ts";
import { nearestRegions, collapseWhitespace } from "../../changes/match/nearest-lines.ts";
import { type LineTable, lineText } from "../../changes/text/line-table.ts";
import { describeHiddenDifference } from "../../content/confusables.ts";
import { getOldLines, type PatchHunk } from "../parse/patch.ts";
import type { PatchConflict } from "./conflict.ts";
import { MAX_REPORTED_LOCATIONS, type OutOfOrder, type UnlocatedHunk } from "./hunk-placement.ts";

const MAX_EXPECTED_LINES = 8;
const MAX_ANCHOR_DISTANCE = 200;
const MAX_SUGGESTION = 2_000;

export function explainConflict(
  path: string,
  table: LineTable,
  unlocated: UnlocatedHunk,
  index: number,
): PatchConflict {
  const { hunk } = unlocated;
  const base = { path, patchLine: hunk.line, hunk: index };
  switch (unlocated.reason) {
    case "ambiguous": {
      const places = withAnchors(table, unlocated.startLines.slice(0, MAX_REPORTED_LOCATIONS));
      return { ...base, code: "HUNK_AMBIGUOUS", expected: expectedOf(hunk), places };
    }
    case "too-repetitive": {
      const problem =
        "the file repeats the lines of this patch so often that the search for this hunk was stopped. Add lines that occur only once, as context or as an @@ line:";
      return { ...base, code: "HUNK_AMBIGUOUS", expected: expectedOf(hunk), problem };
    }
    case "no-context":
      return { ...base, code: "HUNK_WITHOUT_CONTEXT", expected: expectedOf(hunk) };
    case "anchor-not-found": {
      const nearest = nearestRegions(table, hunk.anchors.slice(-1));
      const cause = guessCause(table, hunk.anchors.slice(-1), nearest[0], (lines) => isThere(table, lines));
      return { ...base, code: "ANCHOR_NOT_FOUND", expected: `@@ ${unlocated.anchor}`, cause, nearest };
    }
    case "out-of-order": {
      const problem = describeOrder(path, unlocated, getOldLines(hunk).length === 0);
      const places = unlocated.startLines
        .slice(0, MAX_REPORTED_LOCATIONS)
        .map((line) => ({ line: line + 1 }));
      const found = { ...base, code: "HUNK_NOT_FOUND" as const, cause: unlocated.reason };
      return { ...found, expected: expectedOf(hunk), problem, places };
    }
    case "outside-anchor": {
      const { anchor, startLine: place, left } = unlocated;
      const begins =
        left === undefined
          ? "not below"
          : `where ${quote(lineText(table, left))} begins at line ${left + 1}, outside the block of`;
      const problem = `these lines are at line ${place + 1}, ${begins} its @@ line ${quote(anchor)}. Name an @@ line that they belong to, or correct them:`;
      const found = { ...base, code: "HUNK_NOT_FOUND" as const, cause: unlocated.reason };
      return { ...found, expected: expectedOf(hunk), problem, places: [{ line: place + 1 }] };
    }
    case "not-at-end":
      return { ...base, code: "HUNK_NOT_FOUND", expected: expectedOf(hunk), cause: unlocated.reason };
    case "indentation": {
      const { start } = unlocated;
      const problem = `these lines are at line ${start + 1}, but with another indentation. The indentation of the new lines is unknown, and leading white space is syntax in such a file. Copy the lines from the file, and indent the new lines correctly:`;
      const suggestion = correctedHunk(table, hunk, getOldLines(hunk), start);
      const found = {
        ...base,
        code: "HUNK_NOT_FOUND" as const,
        expected: expectedOf(hunk),
        cause: unlocated.reason,
      };
      return withoutUndefined<PatchConflict>({
        ...found,
        problem,
        places: [{ line: start + 1 }],
        suggestion,
      });
    }
    case "not-found": {
      const requested = getOldLines(hunk);
      const nearest = nearestRegions(table, requested);
      const cause = guessCause(table, requested, nearest[0], (lines) => isThere(table, lines));
      const suggestion = nearest[0] && correctedHunk(table, hunk, requested, nearest[0].startLine - 1);
      const problem =
        cause === "confusable"
          ? `these lines look the same in the file, but have other characters (${describeHiddenDifference(requested.join("\n"), nearest[0]?.text ?? "")}):`
          : undefined;
      const found = withoutUndefined<PatchConflict>({
        ...base,
        code: "HUNK_NOT_FOUND",
        expected: expectedOf(hunk),
        problem,
        cause,
        nearest,
      });
      return suggestion === undefined ? found : { ...found, suggestion };
    }
  }
}

function describeOrder(
  path: string,
  { anchor, startLines, previous }: OutOfOrder,
  isInsertion: boolean,
): string {
  const lines = startLines.slice(0, MAX_REPORTED_LOCATIONS).map((line) => line + 1);
  const more = startLines.length > MAX_REPORTED_LOCATIONS ? ", …" : "";
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  const position = isInsertion ? "its line numbers put it" : "these lines are";
  const what = anchor === undefined ? position : `its @@ line ${quote(anchor)} is`;
  const above =
    previous === undefined
      ? "above its required location"
      : `above hunk ${previous.index + 1}, which is at line ${previous.start + 1}, or in lines that hunk covers`;
  const fix = `Order the hunks as in the file, or begin a new "*** Update File: ${path}" for this one`;
  return `${what} at ${where}, ${above}. ${fix}:`;
}

const quote = (line: string): string => `"${line.slice(0, 120).toWellFormed()}"`;

function expectedOf(hunk: PatchHunk): string {
  const requested = getOldLines(hunk);
  const lines = requested.length > 0 ? requested : hunk.lines.map(({ text }) => text);
  const more = lines.length > MAX_EXPECTED_LINES ? [`… ${lines.length - MAX_EXPECTED_LINES} more lines`] : [];
  return [
    ...lines.slice(0, MAX_EXPECTED_LINES).map((line) => line.slice(0, 200).toWellFormed()),
    ...more,
  ].join("\n");
}

function isThere(table: LineTable, lines: readonly string[]): boolean {
  return createLineMatcher(table, [lines]).findBlock(0, "surrounding-space").length > 0;
}

function withAnchors(table: LineTable, places: readonly number[]): { line: number; anchor?: string }[] {
  const above = places.map((place) => {
    const from = Math.max(0, place - MAX_ANCHOR_DISTANCE);
    const lines = Array.from({ length: place - from }, (_, index) => lineText(table, place - 1 - index));
    return lines.filter((line) => line.length <= 200 && line.trim().length >= 3);
  });
  const distinct = [...new Set(above.flat())];
  const matcher = createLineMatcher(
    table,
    distinct.map((line) => [line]),
  );
  const single = new Set(distinct.filter((_, block) => matcher.findBlock(block, "exact").length === 1));
  return places.map((place, index) => {
    const anchor = above[index]?.find((line) => single.has(line));
    return withoutUndefined<{ line: number; anchor?: string }>({ line: place + 1, anchor });
  });
}

function correctedHunk(
  table: LineTable,
  hunk: PatchHunk,
  requested: readonly string[],
  start: number,
): string | undefined {
  if (start + requested.length > table.count) return undefined;
  const there = requested.map((_, index) => lineText(table, start + index));
  const equal = requested.filter(
    (line, index) => collapseWhitespace(line) === collapseWhitespace(there[index] as string),
  ).length;
  const alike = requested.every(
    (line, index) =>
      collapseWhitespace(line).toLowerCase() === collapseWhitespace(there[index] as string).toLowerCase(),
  );
  if (!alike && equal * 2 < requested.length) return undefined;
  let line = 0;
  const lines = hunk.lines.map(({ kind, text }) => {
    if (kind === "add") return `+${text}`;
    line += 1;
    return `${kind === "remove" ? "-" : " "}${there[line - 1] as string}`;
  });
  const text = ["@@", ...lines].join("\n");
  return text.length <= MAX_SUGGESTION ? text : undefined;
}
