import { CR, LF } from "../lines/scanner.ts";
import type { EditRequest } from "./edit-request.ts";
import type { Place } from "./find-exact.ts";

/**
 * Is this an edit of line endings rather than of text: two texts that differ in nothing else? Then both are
 * meant literally, while otherwise a line break stands for any ending. Taking a CR away before
 * an LF counts too.
 */
export function isLineEndingEdit({ oldText, newText }: EditRequest): boolean {
  if (oldText === newText) return false;
  return unify(oldText) === unify(newText) || takesReturnAway(oldText, newText);
}

const unify = (text: string): string => text.replace(/\r\n|\r/g, "\n");

const takesReturnAway = (oldText: string, newText: string): boolean =>
  oldText.endsWith("\r") && newText === oldText.slice(0, -1);

/** The places of such a text, byte for byte, and no half of a CRLF, unless its CR is to go. */
export function findLiterally(bytes: Buffer, from: number, edit: EditRequest, limit: number): Place[] {
  const { oldText, newText } = edit;
  const needle = Buffer.from(oldText);
  const places: Place[] = [];
  const takesAway = takesReturnAway(oldText, newText);
  // Without any LF, a CR is all that keeps two lines apart.
  const mayTake = takesAway && bytes.includes(LF);
  for (let at = bytes.indexOf(needle, from); at >= 0 && places.length < limit;) {
    const end = at + needle.length;
    const splitsStart = needle[0] === LF && bytes[at - 1] === CR;
    const splitsEnd = bytes[end - 1] === CR && bytes[end] === LF;
    const fits = !splitsStart && (takesAway ? mayTake : !splitsEnd);
    if (fits) places.push({ start: at, end });
    at = bytes.indexOf(needle, fits ? end : at + 1);
  }
  return places;
}
