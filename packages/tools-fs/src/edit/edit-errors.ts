import type { HaftError } from "@haft/plugin-sdk";
import { isHint } from "../changes/match/evidence.ts";
import { MISS_CAUSE_TEXTS, guessCause, type MissCause } from "../changes/match/guess-cause.ts";
import { createLineMatcher } from "../changes/match/line-matcher.ts";
import { nearestRegions, type NearRegion } from "../changes/match/nearest-lines.ts";
import { countLineFeeds } from "../changes/text/file-text.ts";
import type { LineTable } from "../changes/text/line-table.ts";
import { describeHiddenDifference } from "../content/confusables.ts";
import { fileToolError } from "../errors.ts";
import type { EditRequest } from "./edit-request.ts";
import { findExact, type TextRange } from "./find-exact.ts";

const MAX_NAMED = 20;

export interface EditErrorContext {
  path: string;
  bytes: Buffer;
  which: number | undefined;
}

const of = ({ which }: EditErrorContext): string => (which === undefined ? "" : ` of edit ${which + 1}`);
const indexOf = ({ which }: EditErrorContext): { editIndex?: number } =>
  which === undefined ? {} : { editIndex: which };

export function editNotFoundError(
  at: EditErrorContext,
  table: LineTable,
  edit: EditRequest,
  known?: MissCause,
): HaftError {
  const { path, bytes } = at;
  const requested = edit.oldText.split(/\r\n|\r|\n/);
  const near = nearestRegions(table, requested);
  const isThere = (lines: readonly string[]): boolean =>
    findExact(bytes, 0, lines.join("\n"), 1).length > 0 ||
    createLineMatcher(table, [lines]).findBlock(0, "surrounding-space").length > 0;
  const guess = guessCause(table, requested, near[0], isThere);
  const fresh = isHint(edit.newText) ? findExact(bytes, 0, edit.newText, MAX_NAMED + 1) : [];
  const cause =
    known ?? (fresh.length > 0 && (guess === "stale" || guess === "not-in-file") ? "already-applied" : guess);
  const message = [
    `oldText${of(at)} was not found in ${path}. Nothing was changed.`,
    `Likely cause: ${MISS_CAUSE_TEXTS[cause]}${cause === "confusable" ? ` (${describeHiddenDifference(requested.join("\n"), near[0]?.text ?? "")})` : ""}.`,
    ...(cause === "already-applied"
      ? [`newText is at ${linesOf(bytes, fresh)}, which may be another location than intended.`]
      : []),
    ...near.map(show),
  ];
  return fileToolError("EDIT_NOT_FOUND", message.join("\n"), {
    fix:
      near.length > 0
        ? "Copy oldText exactly from the lines shown, without line numbers, and send the edit again."
        : "Read the file and copy oldText exactly from it.",
    details: { path, ...indexOf(at), cause, nearest: near },
  });
}

/** For an edit that was applied earlier, in a call whose other edits were not. */
export function editAppliedError(at: EditErrorContext, matches: readonly TextRange[]): HaftError {
  const { path, bytes, which } = at;
  const message = `oldText${of(at)} was not found in ${path}: that edit was already applied, newText is at ${linesOf(bytes, matches)}. Other edits of this call would change the file. Nothing was changed.`;
  return fileToolError("EDIT_NOT_FOUND", message, {
    fix: "Leave out the edits that were already applied, and send the others again: a call applies all of its edits or no edit.",
    details: { path, editIndex: which, cause: "already-applied" satisfies MissCause },
  });
}

export function editAmbiguousError(at: EditErrorContext, matches: readonly TextRange[]): HaftError {
  const { path, bytes } = at;
  const lines = lineNumbers(bytes, matches);
  const message = `oldText${of(at)} is in ${path} ${amount(matches.length)} times, at lines ${listed(lines, matches.length)}. Nothing was changed.`;
  return fileToolError("EDIT_AMBIGUOUS", message, {
    fix: "Add lines before or after it until it is unique, or set replaceAll to change every match.",
    details: { path, ...indexOf(at), count: matches.length, lines },
  });
}

export function editCountError(
  at: EditErrorContext,
  matches: readonly TextRange[],
  expected: number,
): HaftError {
  const { path, bytes } = at;
  const lines = lineNumbers(bytes, matches);
  const message = `oldText${of(at)} is in ${path} ${matches.length} times, not ${expected} times: lines ${listed(lines, matches.length)}. Nothing was changed.`;
  return fileToolError("EDIT_AMBIGUOUS", message, {
    fix: `Set expectedCount to ${matches.length} if all matches are intended, or make oldText more specific.`,
    details: { path, ...indexOf(at), count: matches.length, expectedCount: expected, lines },
  });
}

export function editsOverlapError(
  path: string,
  bytes: Buffer,
  first: number,
  second: number,
  at: number,
): HaftError {
  const line = countLineFeeds(bytes, 0, at) + 1;
  const message = `Edits ${first + 1} and ${second + 1} both change line ${line} of ${path}, in overlapping ranges. Nothing was changed.`;
  const fix = "Merge them into one edit: every edit is matched against the original file.";
  return fileToolError("EDIT_INVALID", message, { fix, details: { path, edits: [first, second], line } });
}

export function tooManyMatchesError(at: EditErrorContext, limit: number): HaftError {
  const { path } = at;
  const message = `oldText${of(at)} is in ${path} more than ${limit} times. Nothing was changed.`;
  const fix = "Make oldText more specific, or use a command that replaces in a stream.";
  return fileToolError("EDIT_AMBIGUOUS", message, { fix, details: { path, ...indexOf(at), limit } });
}

export function editTooLargeError(at: EditErrorContext, limit: number): HaftError {
  const { path } = at;
  const message = `Replacing oldText${of(at)} everywhere in ${path} would make more than ${limit} bytes of new text. Nothing was changed.`;
  const fix = "Make oldText more specific, or use a command that replaces in a stream.";
  return fileToolError("EDIT_AMBIGUOUS", message, { fix, details: { path, ...indexOf(at), limit } });
}

export function editTimeoutError(path: string, size: number, limitMs: number): HaftError {
  const message = `The search for the edits in ${path} (${size} bytes) was stopped after ${limitMs / 1000} seconds. Nothing was changed.`;
  const fix = "Send fewer edits at once, with shorter texts that occur only once in the file.";
  return fileToolError("EDIT_AMBIGUOUS", message, { fix, details: { path, limitMs } });
}

function show({ startLine, endLine, text }: NearRegion): string {
  return `Nearest text, ${startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`}:\n${text}`;
}

function amount(count: number): string {
  return count > 100_000 ? "more than 100000" : String(count);
}

function lineNumbers(bytes: Buffer, matches: readonly TextRange[]): number[] {
  let at = 0;
  let line = 1;
  return matches.slice(0, MAX_NAMED).map(({ start }) => {
    line += countLineFeeds(bytes, at, start);
    at = start;
    return line;
  });
}

function linesOf(bytes: Buffer, matches: readonly TextRange[]): string {
  return `${matches.length === 1 ? "line" : "lines"} ${listed(lineNumbers(bytes, matches), matches.length)}`;
}

function listed(lines: readonly number[], total: number): string {
  return lines.join(", ") + (total > lines.length ? ", …" : "");
}
