import type { ScanOptions } from "@haft/core";
import { isAscii, isUtf8 } from "node:buffer";
import { findRequiredText } from "./required-text.ts";

/** A zero byte in this range marks a binary file. */
const BINARY_SAMPLE = 8192;

/** Returns whether a line of the file may match. */
export type TextFilter = (bytes: Buffer) => boolean;

type SearchedText = NonNullable<ScanOptions["text"]>;

/** Never excludes a file with a match. Binary files and files in another encoding stay, because the reader decodes or reports them. */
export function createTextFilter(text: SearchedText): TextFilter {
  return withBinaryFiles(text.kind === "literal" ? includesText(text.text) : createRegexFilter(text));
}

/** Takes linear time: it compares only fixed text. Returns `undefined` if the expression has none. */
export function createLinearFilter(text: SearchedText): TextFilter | undefined {
  const fixed = text.kind === "literal" ? text.text : findFixedText(text);
  return fixed === "" ? undefined : withBinaryFiles(includesText(fixed));
}

function withBinaryFiles(mayMatch: TextFilter): TextFilter {
  return (bytes) => bytes.subarray(0, BINARY_SAMPLE).includes(0) || mayMatch(bytes);
}

function findFixedText({ source, flags }: { source: string; flags: string }): string {
  return flags.includes("i") ? "" : findRequiredText(source);
}

function includesText(text: string): TextFilter {
  const needle = Buffer.from(text);
  return (bytes) => bytes.includes(needle) || !isUtf8(bytes);
}

/** A negative assertion can hold at the end of a line, but not before the next line. */
const NEGATIVE_ASSERTION = /\(\?<?!/;
const CR = 13;
/** The pattern's `.` does not match these, and a lone CR is the line end of some files. */
const UNUSUAL_LINE_ENDS = /\r(?!\n)|[\u2028\u2029]/;

function createRegexFilter({ source, flags }: { source: string; flags: string }): TextFilter {
  const required = findFixedText({ source, flags });
  const hasRequired: TextFilter = required === "" ? () => true : includesText(required);
  if (NEGATIVE_ASSERTION.test(source)) return hasRequired;
  // Without the flag `s`, so that `.` stays within a line.
  const regex = new RegExp(source, flags.replace("s", "m"));
  return (bytes) => {
    if (!hasRequired(bytes)) return false;
    const encoding = isAscii(bytes) ? "latin1" : isUtf8(bytes) ? "utf8" : undefined;
    if (encoding === undefined) return true;
    // A byte order mark does not belong to the first line.
    const text = bytes.toString(encoding).replace(/^\uFEFF/, "");
    if (regex.test(text)) return true;
    return (encoding === "utf8" || bytes.includes(CR)) && UNUSUAL_LINE_ENDS.test(text);
  };
}
