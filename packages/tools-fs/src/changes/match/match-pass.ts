import { foldPunctuation } from "../../content/confusables.ts";

/** Comparisons of lines, strictest first. They only find text: written text is as requested, except for indentation. */
export const MATCH_PASSES = ["exact", "trailing-space", "surrounding-space", "punctuation"] as const;

export type MatchPass = (typeof MATCH_PASSES)[number];

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
