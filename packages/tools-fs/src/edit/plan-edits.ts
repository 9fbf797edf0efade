import { isIndentationSyntax } from "../changes/match/indentation.ts";
import type { MatchPass } from "../changes/match/match-pass.ts";
import type { HunkReport } from "../changes/plan/change-report.ts";
import { countLineFeeds, endingAfter, endingBefore, endingsWithin } from "../changes/text/file-text.ts";
import { buildLineTable, type LineTable } from "../changes/text/line-table.ts";
import type { Splice } from "../changes/text/splice.ts";
import { bomLength } from "../content/encoding.ts";
import { CR, LF } from "../lines/scanner.ts";
import { type AdaptedText, adaptReplacement } from "./adapt-replacement.ts";
import {
  editAmbiguousError,
  type EditErrorContext,
  editAppliedError,
  editNotFoundError,
  editsOverlapError,
  editTooLargeError,
  tooManyMatchesError,
  editCountError,
} from "./edit-errors.ts";
import type { EditRequest } from "./edit-request.ts";
import { findAppliedEdit, findAppliedEndings } from "./find-applied.ts";
import { findExact, type TextRange, findLiteral, isLineEndingEdit } from "./find-exact.ts";
import { findLoose, type LooseMatch } from "./find-loose.ts";

const MAX_NEW_BYTES = 256 * 1024 * 1024;
const MAX_MATCHES = 100_000;

export interface PlannedEdits {
  splices: Splice[];
  hunks: HunkReport[];
  replaced: number;
}

interface Found {
  index: number;
  edit: EditRequest;
  literal?: boolean;
  pass: MatchPass;
  matches: readonly LooseMatch[];
  alreadyApplied?: boolean;
  indentation?: AdaptedText["indentation"];
}

/**
 * Matches all edits in the *original* bytes, so their order does not matter.
 *
 * @param wasMade Detects earlier edits of this file, whose repetition is not an error.
 * @param starts Known positions, before which no edit matches exactly.
 * @throws `EDIT_NOT_FOUND`, `EDIT_AMBIGUOUS`, `EDIT_INVALID`
 */
export function planEdits(
  path: string,
  bytes: Buffer,
  edits: readonly EditRequest[],
  wasMade: (edit: EditRequest) => boolean = () => false,
  starts: readonly number[] = [],
): PlannedEdits {
  let table: LineTable | undefined;
  const lines = (): LineTable => (table ??= buildLineTable(bytes));
  const contextOf = (index: number): EditErrorContext => ({
    path,
    bytes,
    which: edits.length > 1 ? index : undefined,
  });
  const found = edits.map((edit, index) =>
    findEdit({ at: contextOf(index), lines, wasMade, start: starts[index] ?? 0 }, edit, index),
  );
  const wanted = found
    .flatMap(({ index, matches, alreadyApplied }) =>
      alreadyApplied === true ? [] : matches.map((match) => ({ index, match })),
    )
    .toSorted((a, b) => a.match.start - b.match.start || a.index - b.index);
  for (const [at, { index, match }] of wanted.entries()) {
    const next = wanted[at + 1];
    if (next !== undefined && next.match.start < match.end)
      throw editsOverlapError(path, bytes, index, next.index, next.match.start);
  }
  const adapt = createNewTextAdapter(bytes);
  let size = 0;
  const splices = wanted.map(({ index, match }): Splice => {
    const each = found[index] as Found;
    const { edit, literal } = each;
    size += edit.newText.length;
    if (size > MAX_NEW_BYTES) throw editTooLargeError(contextOf(index), MAX_NEW_BYTES);
    if (literal === true) return { start: match.start, end: match.end, bytes: Buffer.from(edit.newText) };
    const carried = textFor(bytes, match, each, isIndentationSyntax(path));
    if (carried === undefined) throw editNotFoundError(contextOf(index), lines(), edit, "indentation");
    if (carried.indentation !== undefined) each.indentation = carried.indentation;
    return { start: match.start, end: match.end, bytes: adapt(match, carried.text) };
  });
  const changing = splices.filter((splice) => !isNoOp(bytes, splice));
  // Either all edits are new, or all were made earlier.
  const before = found.find(({ alreadyApplied }) => alreadyApplied === true);
  if (before !== undefined && changing.length > 0)
    throw editAppliedError({ path, bytes, which: before.index }, before.matches);
  return { splices: changing, hunks: reportAll(bytes, found, wanted, splices), replaced: changing.length };
}

interface EditContext {
  at: EditErrorContext;
  lines: () => LineTable;
  wasMade: (edit: EditRequest) => boolean;
  start: number;
}

function findEdit(context: EditContext, requested: EditRequest, index: number): Found {
  const { at, lines } = context;
  const { bytes } = at;
  const literal = isLineEndingEdit(requested);
  const edit = literal ? requested : withoutCommonReturn(requested);
  const bom = bomLength(bytes);
  // A lone mark means the mark itself, so it can be removed.
  if (requested.oldText === "\uFEFF" && bom > 0)
    return { index, edit: requested, literal: true, pass: "exact", matches: [{ start: 0, end: bom }] };
  if (requested.oldText === `\uFEFF${requested.newText}` && bom > 0)
    return findEdit(context, { ...requested, oldText: "\uFEFF", newText: "" }, index);
  // The mark of a file is invisible, so a quoted mark means the start of the text.
  const oldText = edit.oldText.replace(/^\uFEFF/, "");
  const limit = MAX_MATCHES + 1;
  let pass: MatchPass = "exact";
  let matches: readonly LooseMatch[] = literal
    ? findLiteral(bytes, bom, edit, limit)
    : findExact(bytes, Math.max(bom, context.start), oldText, limit);
  if (edit !== requested) matches = matches.filter(({ end }) => bytes[end] === CR);
  // Text that ends with CR does not match a CRLF, because removing it would join two lines.
  else if (!literal && oldText.endsWith("\r")) matches = matches.filter(({ end }) => bytes[end - 1] === CR);
  if (matches.length === 0 && !requested.oldText.endsWith("\r") && !literal) {
    const loose = findLoose(lines(), oldText);
    if (loose !== undefined) ({ pass, matches } = loose);
  }
  if (matches.length === 0) {
    const made = { wasMade: context.wasMade(edit), limit: MAX_MATCHES, lines };
    const applied = literal ? findAppliedEndings(bytes, bom, edit) : findAppliedEdit(bytes, bom, edit, made);
    if (applied !== undefined)
      return { index, edit, pass: "exact", matches: [applied], alreadyApplied: true };
    const endings = literal || requested.oldText.endsWith("\r");
    throw editNotFoundError(at, lines(), edit, endings ? "line-endings" : undefined);
  }
  const found = { index, edit, literal, pass };
  if (!edit.replaceAll) {
    if (matches.length > 1) throw editAmbiguousError(at, matches);
    return { ...found, matches };
  }
  if (matches.length > MAX_MATCHES) throw tooManyMatchesError(at, MAX_MATCHES);
  const separate = withoutOverlaps(matches);
  if (edit.expectedCount !== undefined && edit.expectedCount !== separate.length) {
    throw editCountError(at, separate, edit.expectedCount);
  }
  return { ...found, matches: separate };
}

/** Text from a CRLF file may end with a CR on both sides. */
function withoutCommonReturn(edit: EditRequest): EditRequest {
  const { oldText, newText } = edit;
  if (oldText.length < 2 || !oldText.endsWith("\r") || !newText.endsWith("\r")) return edit;
  return { ...edit, oldText: oldText.slice(0, -1), newText: newText.slice(0, -1) };
}

function withoutOverlaps(matches: readonly LooseMatch[]): LooseMatch[] {
  const separate: LooseMatch[] = [];
  let end = 0;
  for (const match of matches) {
    if (match.start < end) continue;
    separate.push(match);
    end = match.end;
  }
  return separate;
}

/** Returns the new text for a match. A file without a final line ending stays without. */
function textFor(
  bytes: Buffer,
  match: LooseMatch,
  { edit, pass }: Found,
  isSyntax: boolean,
): AdaptedText | undefined {
  const form = (text: string): string => {
    // A mark at the start of a file without a mark is new.
    const isNewMark = bomLength(bytes) === 0 && match.start === 0 && !edit.oldText.startsWith("\uFEFF");
    const plain = isNewMark ? text : text.replace(/^\uFEFF/, "");
    return match.atOpenEnd === true ? plain.replace(/\r?\n$/, "") : plain;
  };
  const newText = form(edit.newText);
  if (pass === "exact") return { text: newText };
  return adaptReplacement(
    bytes.toString("utf8", match.start, match.end),
    form(edit.oldText),
    newText,
    isSyntax,
  );
}

function isNoOp(bytes: Buffer, { start, end, bytes: added }: Splice): boolean {
  return added.length === end - start && bytes.compare(added, 0, added.length, start, end) === 0;
}

const MAX_REPORTS = 200;

function reportAll(
  bytes: Buffer,
  found: readonly Found[],
  wanted: readonly { index: number; match: TextRange }[],
  splices: readonly Splice[],
): HunkReport[] {
  const reports: HunkReport[] = [];
  let at = 0;
  let line = 1;
  let shift = 0;
  for (const [position, { index, match }] of wanted.slice(0, MAX_REPORTS).entries()) {
    line += countLineFeeds(bytes, at, match.start);
    at = match.start;
    const added = (splices[position] as Splice).bytes;
    const oldLines = countLineFeeds(bytes, match.start, match.end) + (bytes[match.end - 1] === 10 ? 0 : 1);
    const newLines =
      added.length === 0 ? 0 : countLineFeeds(added, 0, added.length) + (added.at(-1) === 10 ? 0 : 1);
    const { pass, matches, indentation } = found[index] as Found;
    reports.push({
      ...(indentation === undefined ? {} : { indentation }),
      index,
      oldStart: line,
      oldLines,
      newStart: line + shift,
      newLines,
      pass,
      candidates: matches.length,
    });
    shift += countLineFeeds(added, 0, added.length) - countLineFeeds(bytes, match.start, match.end);
  }
  for (const { index, pass, matches, alreadyApplied } of found) {
    if (alreadyApplied !== true) continue;
    const start = countLineFeeds(bytes, 0, (matches[0] as TextRange).start) + 1;
    reports.push({
      index,
      oldStart: start,
      oldLines: 0,
      newStart: start,
      newLines: 0,
      pass,
      candidates: 1,
      alreadyApplied,
    });
  }
  return reports.toSorted((a, b) => a.index - b.index);
}

/** A new line gets the ending of the replaced line, additional lines that of the surrounding line. */
function createNewTextAdapter(bytes: Buffer): (match: TextRange, newText: string) => Buffer {
  let hasReturns: boolean | undefined;
  const hasFeeds = bytes.includes(LF);
  return ({ start, end }, newText) => {
    if (!newText.includes("\n")) return Buffer.from(newText);
    hasReturns ??= bytes.includes(CR);
    const segments = newText.split(/\r\n|\n/);
    if (!hasReturns) return Buffer.from(hasFeeds ? segments.join("\n") : newText);
    const replaced = endingsWithin(bytes, start, end, segments.length);
    const beyond = endingAfter(bytes, end) ?? endingBefore(bytes, end) ?? "\n";
    const text = segments.map((segment, index) =>
      index === segments.length - 1 ? segment : segment + (replaced[index] ?? beyond),
    );
    return Buffer.from(text.join(""));
  };
}
