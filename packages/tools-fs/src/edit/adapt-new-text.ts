import { endingAfter, endingBefore, endingsWithin } from "../changes/text/file-text.ts";
import { CR, LF } from "../lines/scanner.ts";
import type { Place } from "./find-exact.ts";

/**
 * Gives new text the line endings of its surroundings: each new line ends like the line it replaces;
 * what goes beyond ends like the line it is put into. The file is searched once for the endings it has.
 */
export function createNewTextAdapter(bytes: Buffer): (place: Place, newText: string) => Buffer {
  const hasReturns = bytes.includes(CR);
  const hasFeeds = bytes.includes(LF);
  return ({ start, end }, newText) => {
    if (!newText.includes("\n")) return Buffer.from(newText);
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
