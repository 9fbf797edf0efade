import { characterStart } from "../content/encoding.ts";

const LOOK_BACK = 256;
const LOOK_AHEAD = 32;

/**
 * The last position in `(from, most]` at which UTF-8 text can be cut so that readers see whole
 * characters: not inside a letter and its accents, an emoji of several parts, a flag, or CR LF.
 * `from` is such a position. Clusters too long for that are cut between code points.
 */
export function clusterEnd(buffer: Buffer, from: number, most: number): number {
  const end = characterStart(buffer, most);
  const start = beforeFlags(buffer, from, characterStart(buffer, Math.max(from, end - LOOK_BACK)));
  const tail = buffer.toString(
    "utf8",
    start,
    characterStart(buffer, Math.min(end + LOOK_AHEAD, buffer.length)),
  );
  let boundary = start;
  for (const { segment } of graphemes().segment(tail)) {
    const next = boundary + Buffer.byteLength(segment);
    if (next > end) break;
    boundary = next;
  }
  return boundary > start ? boundary : end;
}

/** Flags are pairs of indicators: in a row of them only the row's beginning tells where pairs begin. */
function beforeFlags(buffer: Buffer, from: number, at: number): number {
  let start = at;
  while (start - 4 >= from && isRegionalIndicator(buffer, start - 4)) start -= 4;
  return start;
}

function isRegionalIndicator(b: Buffer, at: number): boolean {
  return b[at] === 0xf0 && b[at + 1] === 0x9f && b[at + 2] === 0x87 && (b[at + 3] as number) >= 0xa6;
}

let segmenter: Intl.Segmenter | undefined;
function graphemes(): Intl.Segmenter {
  return (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" }));
}
