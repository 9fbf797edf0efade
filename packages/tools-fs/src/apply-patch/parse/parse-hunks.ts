import type { LineHint, PatchHunk } from "./patch.ts";
import { invalid, type PatchLine } from "./read-envelopes.ts";

const NUMBERED = /^-(\d{1,9})(?:,(\d{1,9}))?\s+\+\d{1,9}(?:,\d{1,9})?\s*(?:@@\s*(.*))?$/;
const END_OF_FILE = "*** End of File";

/** Reads the hunks of one update section. */
export function parseHunks(lines: readonly PatchLine[]): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let hunk: PatchHunk | undefined;
  const open = (line: number): PatchHunk => {
    const fresh: PatchHunk = { line, anchors: [], lines: [], endOfFile: false, trailingBlanks: 0 };
    hunks.push(fresh);
    return fresh;
  };
  for (const { text, number } of lines) {
    if (text.startsWith("@@")) {
      if (hunk === undefined || isBegun(hunk)) hunk = open(number);
      readHunkHeader(hunk, text.slice(2));
    } else if (text.trimEnd() === END_OF_FILE) {
      if (hunk === undefined || hunk.lines.length === 0) throw noLines(number);
      hunk.endOfFile = true;
    } else if (text.startsWith("*** ")) {
      throw invalid(
        number,
        `${JSON.stringify(text.slice(0, 80))} is not known within an update`,
        "Begin context lines with a blank.",
      );
    } else if (!text.startsWith("\\ No newline")) {
      if (text === "" && (hunk === undefined || hunk.endOfFile)) continue;
      hunk ??= open(number);
      if (hunk.endOfFile) {
        throw invalid(number, `a line follows "${END_OF_FILE}"`, 'Begin the next hunk with "@@".');
      }
      readHunkLine(hunk, text);
    }
  }
  for (const each of hunks) if (each.lines.length === 0) throw noLines(each.line);
  return hunks.filter((each) => !isBlank(each));
}

const isBegun = (hunk: PatchHunk): boolean => hunk.lines.length > 0 || hunk.endOfFile;

/** Nothing but empty lines between two headers separates them; it asks for nothing. */
const isBlank = (hunk: PatchHunk): boolean =>
  hunk.lines.length === hunk.trailingBlanks && hunk.anchors.length === 0 && hunk.hint === undefined;

function readHunkHeader(hunk: PatchHunk, rest: string): void {
  const text = rest.trim();
  const numbers = NUMBERED.exec(text);
  if (numbers !== null) {
    const [, oldStart, oldCount = "1", heading = ""] = numbers;
    const hint: LineHint = { oldStart: Number(oldStart), oldCount: Number(oldCount), heading, raw: text };
    hunk.hint = hint;
    return;
  }
  // `@@ anchor @@`, as unified diffs close their numbers.
  const anchor = text.endsWith("@@") ? text.slice(0, -2).trimEnd() : text;
  if (anchor !== "" && anchor !== "..." && anchor !== "…")
    hunk.anchors.push(anchor === text ? rest.replace(/^ /, "") : anchor);
}

function readHunkLine(hunk: PatchHunk, text: string): void {
  const sign = text[0];
  hunk.trailingBlanks = text === "" ? hunk.trailingBlanks + 1 : 0;
  if (sign === "+") hunk.lines.push({ kind: "add", text: text.slice(1) });
  else if (sign === "-") hunk.lines.push({ kind: "remove", text: text.slice(1) });
  // A line without any sign can only be context whose blank got lost.
  else hunk.lines.push({ kind: "context", text: sign === " " ? text.slice(1) : text });
}

function noLines(line: number): ReturnType<typeof invalid> {
  return invalid(line, "the hunk has no lines", "Give context, - and + lines below the header.");
}
