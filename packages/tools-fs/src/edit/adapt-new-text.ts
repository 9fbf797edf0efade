import { endingAfter, endingBefore, endingsWithin } from "../changes/text/file-text.ts";
import { CR } from "../lines/scanner.ts";
import type { Place } from "./find-exact.ts";

/**
 * New text with the line endings of its surroundings: each new line ends like the line it replaces;
 * what goes beyond ends like the line it is put into.
 */
export function adaptNewText(bytes: Buffer, { start, end }: Place, newText: string): Buffer {
  if (!newText.includes("\n")) return Buffer.from(newText);
  const segments = newText.split(/\r\n|\n/);
  if (!bytes.includes(CR)) {
    const unix = bytes.includes(10) ? segments.join("\n") : newText;
    return Buffer.from(unix);
  }
  const replaced = endingsWithin(bytes, start, end, segments.length);
  const beyond = endingAfter(bytes, end) ?? endingBefore(bytes, end) ?? "\n";
  const text = segments.map((segment, index) =>
    index === segments.length - 1 ? segment : segment + (replaced[index] ?? beyond),
  );
  return Buffer.from(text.join(""));
}
