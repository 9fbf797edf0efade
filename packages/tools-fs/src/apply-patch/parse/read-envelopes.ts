import type { HaftError } from "@haft/plugin-sdk";
import { requireWellFormed } from "../../changes/text/file-text.ts";
import { MAX_ARGUMENT_CHARACTERS } from "../../defaults.ts";
import { fileToolError } from "../../errors.ts";

export interface PatchLine {
  text: string;
  number: number;
}

/** This thread reads each line. */
const MAX_LINES = 250_000;
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

/**
 * Removes a byte order mark, code fences, a heredoc and remarks. Several envelopes become one transaction.
 *
 * @throws `PATCH_INVALID`
 */
export function readEnvelopes(input: string): PatchLine[] {
  if (input.trim() === "") throw empty();
  if (input.length > MAX_ARGUMENT_CHARACTERS) {
    const fix = "Send several patches.";
    throw invalidPatch(
      1,
      `the patch has ${input.length} characters; the limit is ${MAX_ARGUMENT_CHARACTERS}`,
      fix,
    );
  }
  requireWellFormed("The patch", input);
  const whole = unwrapJson(input).replace(/^\uFEFF/, "");
  if (hasMoreLines(whole, MAX_LINES))
    throw invalidPatch(1, `the patch has more than ${MAX_LINES} lines`, "Send several patches.");
  const lines = whole.split("\n");
  const hasBegin = lines.some((line) => line.trim() === BEGIN);
  if (!hasBegin && UNIFIED_DIFF.test(whole)) throw unifiedDiffError();
  const lastEnd = lines.findLastIndex((line) => line.trim() === END);
  const body: PatchLine[] = [];
  let begun = 0;
  let indent = 0;
  let inside = false;
  let afterBegin = false;
  /** First line with text after the last End marker. */
  let remark: number | undefined;
  for (const [index, raw] of lines.entries()) {
    const text = withoutCarriageReturns(raw);
    const number = index + 1;
    const marker = text.trim();
    if (inside && marker === END && (index === lastEnd || indentOf(text) <= indent)) {
      inside = false;
      remark = undefined;
    } else if (!inside && marker === BEGIN) {
      inside = true;
      afterBegin = true;
      indent = indentOf(text);
      begun = number;
      continue;
    } else if (inside) {
      if (text === BEGIN)
        throw invalidPatch(number, "a second Begin Patch before the End Patch of the first", CLOSE);
      if (afterBegin && isEnvironmentId(text, number)) {
        afterBegin = false;
        continue;
      }
      body.push({ text, number });
    } else {
      refusePatchText(text, number, begun > 0);
      // Text between two End markers proves that one marker is wrong.
      if (marker === END && begun > 0 && remark !== undefined)
        throw invalidPatch(remark, `there are lines between two "${END}"`, CLOSE);
      if (marker !== "" && marker !== END) remark ??= number;
    }
    if (marker !== "") afterBegin = false;
  }
  if (begun === 0) {
    const fix = `Begin the patch with "${BEGIN}" and end it with "${END}".`;
    throw invalidPatch(1, `there is no line "${BEGIN}"`, fix);
  }
  if (inside) {
    const why = `the patch begun at line ${begun} has no "${END}"; it may have been cut off`;
    throw invalidPatch(lines.length, why, CLOSE);
  }
  return body;
}

const CLOSE = `End every patch with a line "${END}".`;

/** Carriage returns belong to the line ending of the file. */
function withoutCarriageReturns(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "\r") end -= 1;
  return end === line.length ? line : line.slice(0, end);
}

/** An End marker that is indented deeper than Begin is context. */
const indentOf = (text: string): number => text.length - text.trimStart().length;

function hasMoreLines(text: string, most: number): boolean {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= most; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines > most;
}

/** Some callers send the tool's arguments, or a JSON string. */
function unwrapJson(input: string): string {
  const trimmed = input.trim();
  if (!/^[{"]/.test(trimmed)) return input;
  try {
    const value = JSON.parse(trimmed) as unknown;
    if (typeof value === "string") return value;
    const texts = Object.values(value as Record<string, unknown>);
    const [only] = texts;
    return texts.length === 1 && typeof only === "string" ? only : input;
  } catch {
    return input;
  }
}

/** Codex names its environment in the first line. */
function isEnvironmentId(text: string, number: number): boolean {
  const match = /^\*\*\* Environment ID:(.*)$/.exec(text);
  if (match === null) return false;
  if ((match[1] as string).trim() === "")
    throw invalidPatch(number, "the environment id is empty", "Leave the line out.");
  return true;
}

/** Rejects parts of a patch outside an envelope, which would be lost silently. */
function refusePatchText(text: string, number: number, after: boolean): void {
  if (!/^\*\*\* (?:Add|Delete|Update|Modify|Move) |^@@/.test(text)) return;
  const where = after ? `after "${END}"` : `before "${BEGIN}"`;
  const fix = `Put every section between "${BEGIN}" and "${END}".`;
  throw invalidPatch(number, `a part of a patch is ${where}`, fix);
}

export function invalidPatch(line: number, problem: string, fix: string): HaftError {
  const message = `The patch cannot be read: line ${line}: ${problem}. Nothing was changed.`;
  return fileToolError("PATCH_INVALID", message, { fix, details: { line, problem } });
}

/** A diff of git, `diff -u` or another version control system. */
const UNIFIED_DIFF = /^(?:diff --git |Index: |--- \S.*\n\+\+\+ \S)/m;

function unifiedDiffError(): HaftError {
  return fileToolError("PATCH_INVALID", "This is a unified diff, as of git. Nothing was changed.", {
    fix: `Write "${BEGIN}", then "*** Update File: PATH" and the hunks with "@@" and context lines, then "${END}". Or apply the diff with git apply.`,
  });
}

function empty(): HaftError {
  return fileToolError("PATCH_INVALID", "The patch is empty. Nothing was changed.", {
    fix: `Provide a patch input: "${BEGIN}", sections, "${END}".`,
  });
}
