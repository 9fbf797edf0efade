import { type ModelFacts, type SkippedFolders, text, type TextBlock } from "@haft/plugin-sdk";
import { joinPath } from "@haft/utils";
import { readBudget } from "../content/model-facts.ts";
import { fileToolError } from "../errors.ts";
import { printablePath, quotedPath, relativeTo } from "../paths/path-text.ts";
import type { LookupTime } from "./lookup-time.ts";
import type { WalkReport } from "./walk.ts";

/** Bytes of the notice, without the path to continue after. */
const NOTICE_BYTES = 1024;
const MOST_NAME = 80;

export class LookupPage {
  full = false;
  readonly lines: string[] = [];
  private left: number;

  constructor(model: ModelFacts) {
    this.left = readBudget(model) - NOTICE_BYTES;
  }

  /** Adds all lines or none. `next`: where to continue if the page ends here. */
  add(lines: readonly string[], next: string): boolean {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (this.full || (this.lines.length > 0 && bytes + 2 * Buffer.byteLength(next) > this.left)) {
      this.full = true;
      return false;
    }
    this.lines.push(...lines);
    this.left -= bytes;
    return true;
  }

  content(notices: readonly string[]): TextBlock[] {
    const shown = notices.filter((notice) => notice !== "").map((notice) => `[${notice}]`);
    return [
      ...(this.lines.length > 0 ? [text(this.lines.join("\n"))] : []),
      ...(shown.length > 0 ? [text(shown.join("\n"))] : []),
    ];
  }
}

export function formatGaps({ unreadable, overflow, tooDeep }: WalkReport): string {
  const parts = [
    describe(unreadable, "could not be listed"),
    describe(overflow, "had too many entries to read all"),
    describe(tooDeep, "too deep to list"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join("; ")}.`;
}

/** For an answer without results: the conditions of "nothing", and how to include the rest. */
export function formatLeftOut({ ignored, links }: WalkReport): string {
  const parts = [
    ignored.count === 0
      ? ""
      : `${formatCount(ignored.count, "ignored entry")} not searched: ${nameFirst(ignored)}; includeIgnored=true includes ${ignored.count === 1 ? "it" : "them"}`,
    links.count === 0
      ? ""
      : `${formatCount(links.count, "link")} not followed: ${nameFirst(links)}; use path to search behind one`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join(". ")}.`;
}

function describe(gap: SkippedFolders, what: string): string {
  return gap.count === 0 ? "" : `${formatCount(gap.count, "folder")} ${what}: ${nameFirst(gap)}`;
}

function nameFirst({ count: number, first }: SkippedFolders): string {
  return `${printablePath(shortened(first))}${number > 1 ? " and others" : ""}`;
}

function shortened(path: string): string {
  return path.length > MOST_NAME ? `${path.slice(0, MOST_NAME).toWellFormed()}…` : path;
}

/** Longer paths cannot be continued after. */
const MAX_CONTINUATION_BYTES = 4096;

/** Returns `undefined` if the time did not end or no page can begin there. */
export function getContinuation({ stoppedAfter }: WalkReport): string | undefined {
  return stoppedAfter === undefined || Buffer.byteLength(stoppedAfter) > MAX_CONTINUATION_BYTES
    ? undefined
    : stoppedAfter;
}

export function formatTimeout(
  report: WalkReport,
  { limitMs }: LookupTime,
  continuation: string | undefined = getContinuation(report),
): string {
  if (report.stoppedAfter === undefined) return "";
  const where = printablePath(shortened(report.stoppedAfter));
  const next =
    continuation === undefined ? "Name" : `Use after=${quotedPath(continuation)} to continue, or name`;
  return `Stopped after ${limitMs / 1000} s: nothing after ${where} was searched. ${next} a smaller part by path.`;
}

export function formatCount(number: number, noun: string): string {
  const plural = noun.endsWith("y")
    ? `${noun.slice(0, -1)}ies`
    : noun.endsWith("ch")
      ? `${noun}es`
      : `${noun}s`;
  return `${number} ${number === 1 ? noun : plural}`;
}

/**
 * Returns the path to continue after, relative to the start. It may no longer exist.
 *
 * @param after Path from an earlier answer.
 * @param shown The whole argument, for errors.
 * @throws `INVALID_ARGUMENTS` for a path outside this listing
 */
export function parseContinuation(start: string, after: string, shown = after): string {
  const path = relativeTo(start, after);
  const prefix = joinPath(start, "");
  if (isPlain(path) && after.startsWith(prefix)) return path;
  const where = prefix === "" ? "they are relative, without .." : `they begin with ${quotedPath(prefix)}`;
  throw invalidContinuationError(shown, `path of this listing: ${where}`);
}

export function parseNameContinuation(after: string): string {
  const name = after.replace(/\/$/, "");
  if (name.includes("/") || !isPlain(name)) throw invalidContinuationError(after, "name of an entry");
  return name;
}

export function invalidContinuationError(after: string, what: string): Error {
  return fileToolError("INVALID_ARGUMENTS", `after=${quotedPath(after)} is not a ${what}.`, {
    fix: "Use the value of `after` from the previous answer, or leave `after` out to begin at the start.",
    details: { after },
  });
}

function isPlain(path: string): boolean {
  return path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}
