import { isProof } from "../changes/match/evidence.ts";
import { createLineMatcher } from "../changes/match/line-matcher.ts";
import type { LineTable } from "../changes/text/line-table.ts";
import { bomLength } from "../content/encoding.ts";
import { CR, LF } from "../lines/scanner.ts";
import type { EditRequest } from "./edit-request.ts";
import { findExact, type TextRange, findLiteral } from "./find-exact.ts";

/**
 * Makes the repetition of an edit after a lost reply harmless. Returns `undefined` unless it is certain: the same edit was made in this
 * file, or unique shared lines identify the location.
 *
 * @param from Start of the text.
 * @param limit Most matches to count for a replacement of all.
 */
export function findAppliedEdit(
  bytes: Buffer,
  from: number,
  edit: EditRequest,
  made: { wasMade: boolean; limit: number; lines: () => LineTable },
): TextRange | undefined {
  const { newText, replaceAll, expectedCount } = edit;
  if (newText.trim() === "") return undefined;
  const matches = findExact(bytes, from, newText, replaceAll ? made.limit : 2);
  const [match] = matches;
  if (match === undefined || (!replaceAll && matches.length > 1)) return undefined;
  if (matches.length < (expectedCount ?? 1)) return undefined;
  if (made.wasMade) return match;
  const isCertain = !replaceAll && isProof(newText) && isOnSeparateLines(bytes, match);
  return isCertain && identifiesLocation(made.lines(), edit) ? match : undefined;
}

export function findAppliedEndings(
  bytes: Buffer,
  from: number,
  { oldText, newText }: EditRequest,
): TextRange | undefined {
  if (newText === "") return undefined;
  return findLiteral(
    bytes,
    from,
    { oldText: newText, newText: oldText, replaceAll: true, expectedCount: undefined },
    1,
  )[0];
}

function identifiesLocation(table: LineTable, { oldText, newText }: EditRequest): boolean {
  const old = oldText.split(/\r\n|\r|\n/);
  const fresh = newText.split(/\r\n|\r|\n/);
  const most = Math.min(old.length, fresh.length);
  let first = 0;
  while (first < most && old[first] === fresh[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === fresh.at(-1 - last)) last += 1;
  // Without new text in the rest, the new text may only be a remainder of the old text.
  if (fresh.slice(first, fresh.length - last).every((line) => line.trim() === "")) return false;
  const runs = [fresh.slice(0, first), fresh.slice(fresh.length - last)].map((run) =>
    // A final line break is not an empty line.
    run.at(-1) === "" ? run.slice(0, -1) : run,
  );
  const matcher = createLineMatcher(table, runs);
  return runs.some(
    (run, index) =>
      run.some((line) => /[\p{L}\p{N}]/u.test(line)) && matcher.findBlock(index, "exact").length === 1,
  );
}

function isOnSeparateLines(bytes: Buffer, { start, end }: TextRange): boolean {
  let first = start;
  while (isSpace(bytes[first - 1])) first -= 1;
  let last = end;
  while (isSpace(bytes[last])) last += 1;
  return startsLine(bytes, first) && (endsLine(bytes[last]) || startsLine(bytes, end));
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;
const endsLine = (byte: number | undefined): boolean => byte === undefined || byte === LF || byte === CR;
const startsLine = (bytes: Buffer, at: number): boolean => at === bomLength(bytes) || endsLine(bytes[at - 1]);
