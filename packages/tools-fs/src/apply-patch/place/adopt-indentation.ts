import { indentationOf, mapIndentation } from "../../changes/match/indentation.ts";
import { type LineTable, lineText } from "../../changes/text/line-table.ts";
import { type HunkLine, oldLinesOf } from "../parse/patch.ts";
import type { HunkPlacement } from "./hunk-placement.ts";

/**
 * A hunk whose lines were found under another indentation adds its new lines under that indentation too; it
 * conflicts when it cannot be told what that would be.
 */
export function adoptIndentation(table: LineTable, placement: HunkPlacement): HunkPlacement {
  if (placement.kind !== "located") return placement;
  const { hunk, start, size, pass } = placement;
  if (pass === "exact" || pass === "trailing-space") return placement;
  const asked = oldLinesOf(hunk).slice(0, size);
  const map = mapIndentation(
    asked,
    asked.map((_, index) => lineText(table, start + index)),
  );
  const lines: HunkLine[] = [];
  for (const line of hunk.lines) {
    const own = indentationOf(line.text);
    const indentation = line.kind === "add" && line.text.trim() !== "" ? map?.(own) : own;
    if (indentation === undefined) return { kind: "conflict", hunk, reason: "not-found" };
    lines.push({ ...line, text: indentation + line.text.slice(own.length) });
  }
  return { ...placement, hunk: { ...hunk, lines } };
}
