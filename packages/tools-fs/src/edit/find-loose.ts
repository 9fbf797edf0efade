import { isUtf8 } from "node:buffer";
import { createLineMatcher } from "../changes/match/line-matcher.ts";
import { MATCH_PASSES, type MatchPass } from "../changes/match/match-pass.ts";
import { type LineTable, lineText } from "../changes/text/line-table.ts";
import { foldPunctuation } from "../content/confusables.ts";
import { bomLength } from "../content/encoding.ts";
import type { TextRange } from "./find-exact.ts";

export interface LooseMatch extends TextRange {
  /** The requested text ends with a line break, the file does not. */
  atOpenEnd?: boolean;
}

/** Searching within lines decodes the whole file. */
const MAX_DECODED = 32 * 1024 * 1024;

/** The first pass with matches decides. Only typographic punctuation is tolerated within lines. */
export function findLoose(
  table: LineTable,
  needle: string,
): { pass: MatchPass; matches: LooseMatch[] } | undefined {
  const requested = splitRequested(needle);
  const matcher = createLineMatcher(table, [requested.lines]);
  for (const pass of MATCH_PASSES) {
    if (pass !== "exact" && requested.lines.every((line) => line.trim() === "")) break;
    const matches = matcher.findBlock(0, pass).flatMap((line) => toMatch(table, line, requested) ?? []);
    if (matches.length > 0) return { pass: pass === "exact" ? "trailing-space" : pass, matches };
  }
  const matches = findFolded(table, needle);
  return matches.length === 0 ? undefined : { pass: "punctuation", matches };
}

interface Requested {
  lines: string[];
  leading: boolean;
  trailing: boolean;
}

function splitRequested(needle: string): Requested {
  const lines = needle.split(/\r\n|\r|\n/);
  const leading = lines.length > 1 && lines[0] === "";
  if (leading) lines.shift();
  const trailing = lines.length > 1 && lines.at(-1) === "";
  if (trailing) lines.pop();
  return { lines, leading, trailing };
}

/** Returns whole lines. Trailing white space counts only if the requested text has it. */
function toMatch(table: LineTable, line: number, requested: Requested): LooseMatch | undefined {
  const { lines, leading, trailing } = requested;
  const last = line + lines.length - 1;
  const lastText = lineText(table, last);
  let start = table.starts[line] as number;
  if (leading) {
    if (line === 0) return undefined;
    start = table.ends[line - 1] as number;
  }
  let end = table.ends[last] as number;
  const next = table.starts[last + 1] as number;
  if (trailing) return next === end ? { start, end, atOpenEnd: true } : { start, end: next };
  if (!/\s$/.test(lines.at(-1) as string))
    end -= Buffer.byteLength(lastText) - Buffer.byteLength(lastText.trimEnd());
  return { start, end: Math.max(start, end) };
}

function findFolded(table: LineTable, needle: string): LooseMatch[] {
  const { bytes } = table;
  // Positions are counted in the decoded text.
  if (bytes.length > MAX_DECODED || !isUtf8(bytes)) return [];
  const bom = bomLength(bytes);
  const text = bytes.toString("utf8", bom);
  const folded = foldPunctuation(text);
  const unix = foldPunctuation(needle).replaceAll("\r\n", "\n");
  if (folded === text && unix === needle) return [];
  const wanted = text.includes("\r\n") ? unix.replaceAll("\n", "\r\n") : unix;
  const matches: LooseMatch[] = [];
  let byte = bom;
  let counted = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
    byte += Buffer.byteLength(text.slice(counted, at));
    counted = at;
    matches.push({ start: byte, end: byte + Buffer.byteLength(text.slice(at, at + wanted.length)) });
  }
  return matches;
}
