import { foldConfusables } from "../../content/confusables.ts";
import { type LineTable, lineText } from "../text/line-table.ts";
import { type NearRegion, collapseWhitespace } from "./nearest-lines.ts";

export type MissCause =
  | "line-numbers"
  | "escapes"
  | "white-space"
  | "indentation"
  | "quotes"
  | "confusable"
  | "line-endings"
  | "letter-case"
  | "out-of-order"
  | "outside-anchor"
  | "not-at-end"
  | "already-applied"
  | "stale"
  | "not-in-file";

const NUMBERED = /^\s*\d+\s*(?:[|:→]|\t)\s?/;
const ESCAPE =
  /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([nrt"'`\\]))|&(amp|lt|gt|quot|apos|nbsp|#\d{1,7});/g;
const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

function withoutLineNumbers(lines: readonly string[]): string[] | undefined {
  const full = lines.filter((line) => line.trim() !== "");
  if (full.length === 0 || !full.every((line) => NUMBERED.test(line))) return undefined;
  return lines.map((line) => line.replace(NUMBERED, ""));
}

function withoutEscapes(text: string): string | undefined {
  const plain = text.replace(
    ESCAPE,
    (whole, long?: string, unit?: string, byte?: string, one?: string, entity?: string) => {
      const hex = long ?? unit ?? byte;
      const number = hex === undefined ? Number(entity?.slice(1)) : Number.parseInt(hex, 16);
      if (number <= 0x10ffff) return String.fromCodePoint(number);
      return NAMED[one ?? entity ?? ""] ?? one ?? whole;
    },
  );
  return plain === text ? undefined : plain;
}

export function guessCause(
  table: LineTable,
  requested: readonly string[],
  near: NearRegion | undefined,
  isThere: (lines: readonly string[]) => boolean,
): MissCause {
  const unnumbered = withoutLineNumbers(requested);
  if (unnumbered !== undefined && isThere(unnumbered)) return "line-numbers";
  const unescaped = withoutEscapes(requested.join("\n"));
  if (unescaped !== undefined && isThere(unescaped.split("\n"))) return "escapes";
  if (near === undefined) return "not-in-file";
  const there = requested.map((_, index) => {
    const line = near.startLine - 1 + index;
    return line < table.count ? lineText(table, line) : "";
  });
  const same = (form: (line: string) => string): boolean =>
    requested.every((line, index) => form(line) === form(there[index] as string));
  if (same((line) => line.replace(/\s+/g, ""))) return "white-space";
  if (same(foldConfusables)) return "confusable";
  if (same((line) => collapseWhitespace(line).replace(/["'`]/g, "'"))) return "quotes";
  if (same((line) => collapseWhitespace(line).toLowerCase())) return "letter-case";
  return "stale";
}

export const MISS_CAUSE_TEXTS: Readonly<Record<MissCause, string>> = {
  "line-numbers": "the text contains the line numbers of a listing",
  escapes: 'the text has escape sequences (\\n, \\", \\u2019, &amp;) but the file has the characters',
  "white-space": "only white space differs",
  indentation:
    "the lines have another indentation in the file, which cannot be applied to the new lines; leading white space is syntax in such a file",
  quotes: "only the kind of quotes differs",
  confusable: "the text looks the same, but has other characters",
  "line-endings":
    "the text has other line endings (LF, CRLF, CR) than the file; \\r alone never matches a CRLF",
  "letter-case": "only upper and lower case differ",
  "out-of-order": "it is above the previous hunk; order hunks from top to bottom",
  "outside-anchor": "it is outside the block of its @@ line",
  "not-at-end": 'it is in the file, but not at its end as "*** End of File" says; leave that line out',
  "already-applied": "the new text may already be there",
  stale: "the file differs from the text, or has changed",
  "not-in-file": "the file contains nothing similar",
};
