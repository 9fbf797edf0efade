/** Comparisons of lines, strictest first. They only find text: written text is as requested, except for indentation. */
export const MATCH_PASSES = ["exact", "trailing-space", "surrounding-space", "punctuation"] as const;

export type MatchPass = (typeof MATCH_PASSES)[number];

const DASHES = /[\u2010-\u2015\u2212]/g;
const SINGLE_QUOTES = /[\u2018-\u201b]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f]/g;
const SPACES = /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g;
const FOLDABLE = /[\u00a0\u2002-\u200a\u2010-\u2015\u2018-\u201f\u202f\u205f\u2212\u3000]/;

/** Replaces typographic dashes, quotes and spaces. The length stays the same. */
export function foldPunctuation(value: string): string {
  if (!FOLDABLE.test(value)) return value;
  return value
    .replace(DASHES, "-")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(SPACES, " ");
}

export const LINE_NORMALIZERS: Readonly<Record<MatchPass, (line: string) => string>> = {
  exact: (line) => line,
  "trailing-space": (line) => line.trimEnd(),
  "surrounding-space": (line) => line.trim(),
  punctuation: (line) => foldPunctuation(line).trim(),
};

export const MATCH_PASS_TEXTS: Readonly<Record<MatchPass, string>> = {
  exact: "exactly",
  "trailing-space": "ignoring white space at line ends",
  "surrounding-space": "ignoring white space at line starts and ends",
  punctuation: "ignoring white space at line starts and ends and typographic punctuation",
};

export const INDENTATION_NOTES: Readonly<Record<"adopted" | "as-given", string>> = {
  adopted: "; its new lines got the indentation of the file",
  "as-given": "; the indentation of its new lines is unknown, so they are unchanged",
};
