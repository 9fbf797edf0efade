import type { ModelFacts, ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { type Encoding, encodingName } from "../content/codecs.ts";
import type { LookupTime } from "../lookup/lookup-time.ts";
import {
  formatCount,
  formatGaps,
  formatLeftOut,
  LookupPage,
  getContinuation,
  formatTimeout,
} from "../lookup/page.ts";
import type { WalkReport } from "../lookup/walk.ts";
import { formatFolder, printablePath, quotedPath } from "../paths/path-text.ts";
import type { GrepMatch, GrepToolDetails, SkipReason } from "./grep-types.ts";
import type { FileMatches, SkippedFile } from "./search-files.ts";
import type { FoundLine } from "./search-text.ts";

const SKIPPED: Record<SkipReason, string> = {
  hardLinked: "hard-linked",
  notUtf8: "text in an unknown encoding",
  unreadable: "not readable",
  longLine: "beyond the first MiB of a line",
  binary: "binary",
  noTime: "not to its end, because the time ended",
};

interface GrepAnswerOptions {
  limit: number;
  filesOnly: boolean;
  context: number;
  /** Reports binary files, because the call names a file. */
  tellBinary: boolean;
}

export class GrepAnswer {
  private readonly page: LookupPage;
  private readonly options: GrepAnswerOptions;
  private readonly matches: GrepMatch[] = [];
  private readonly skipped = { hardLinked: 0, notUtf8: 0, unreadable: 0, longLine: 0, binary: 0, noTime: 0 };
  private files = 0;
  private truncated = false;
  private readonly guessed = { first: "", count: 0 };

  constructor(model: ModelFacts, options: GrepAnswerOptions) {
    this.page = new LookupPage(model);
    this.options = options;
  }

  add(file: FileMatches | SkippedFile): boolean {
    if ("skipped" in file) {
      this.skipped[file.skipped] += 1;
      return true;
    }
    const { context } = this.options;
    if (file.detected?.guessed === true) this.noteGuess(file.path, file.detected.encoding);
    if (this.options.filesOnly) return this.addName(file);
    let header = [...(this.files > 0 ? [""] : []), printablePath(file.path)];
    let pending: FoundLine[] = [];
    let last: FoundLine | undefined;
    for (const line of file.lines) {
      pending.push(line);
      if (!line.match) continue;
      const lines = [...header, ...show(pending, last, context)];
      if (!this.take(lines, { path: file.path, line: line.line, text: line.text })) break;
      if (header.length > 0) this.files += 1;
      header = [];
      pending = [];
      last = line;
    }
    // Lines after the last match, but not before an omitted match.
    const after = pending.filter(
      ({ line, match }) => !match && last !== undefined && line <= last.line + context,
    );
    if (last !== undefined) this.page.add(show(after, last, context), `${file.path}:${last.line}`);
    return !this.truncated;
  }

  result(path: string, pattern: string, report: WalkReport, time: LookupTime): ToolResult<GrepToolDetails> {
    const { matches, files, skipped, truncated } = this;
    const isStopped = !truncated && (report.stoppedAfter !== undefined || skipped.noTime > 0);
    const last = matches.at(-1);
    const position =
      last === undefined ? "" : this.options.filesOnly ? last.path : `${last.path}:${last.line}`;
    const shown = this.options.filesOnly
      ? formatCount(matches.length, "file")
      : `${formatCount(matches.length, "match")} in ${formatCount(files, "file")}`;
    const next = truncated ? position : this.endOf(getContinuation(report));
    const none = `No match for ${quotedPath(pattern)} in ${formatFolder(path)}${isStopped ? " so far" : ""}.`;
    return {
      content: this.page.content([
        last === undefined ? `${none}${readAs(pattern)}` : "",
        last !== undefined && !truncated ? `${shown}${isStopped ? " so far" : ""}.` : "",
        truncated ? `Showing ${shown}; there are more. Use after=${quotedPath(position)} to continue.` : "",
        truncated ? "" : formatTimeout(report, time, next),
        this.notSearched(last === undefined),
        this.guesses(),
        formatGaps(report),
        last === undefined ? formatLeftOut(report) : "",
      ]),
      details: withoutUndefined({
        path,
        pattern,
        matches,
        files,
        skipped,
        unseen: report.folders,
        truncated: truncated || isStopped,
        stopped: isStopped || undefined,
        continuation: next === undefined ? undefined : { after: next },
      }),
    };
  }

  private noteGuess(path: string, encoding: Encoding): void {
    if (this.guessed.count === 0) this.guessed.first = `${printablePath(path)} as ${encodingName(encoding)}`;
    this.guessed.count += 1;
  }

  private guesses(): string {
    const { first, count: number } = this.guessed;
    if (number === 0) return "";
    return `${formatCount(number, "file")} not in UTF-8 ${number === 1 ? "was" : "were"} read with a guessed encoding: ${first}${number > 1 ? " and others" : ""}.`;
  }

  /** A path with a number at its end would look like a line of another file. Line 0 means the whole file. */
  private endOf(path: string | undefined): string | undefined {
    return path !== undefined && !this.options.filesOnly && /:\d+$/.test(path) ? `${path}:0` : path;
  }

  private notSearched(isEmpty: boolean): string {
    const reasons = (Object.keys(SKIPPED) as SkipReason[]).filter(
      (reason) => this.skipped[reason] > 0 && (reason !== "binary" || this.options.tellBinary || isEmpty),
    );
    const total = reasons.reduce((sum, reason) => sum + this.skipped[reason], 0);
    const parts = reasons.map((reason) => `${this.skipped[reason]} ${SKIPPED[reason]}`);
    const were = total === 1 ? "was" : "were";
    return total === 0 ? "" : `${formatCount(total, "file")} ${were} not searched (${parts.join(", ")}).`;
  }

  private addName({ path, lines }: FileMatches): boolean {
    const first = lines.find(({ match }) => match) as FoundLine;
    if (!this.take([printablePath(path)], { path, line: first.line, text: first.text })) return false;
    this.files += 1;
    return true;
  }

  private take(lines: readonly string[], match: GrepMatch): boolean {
    if (this.matches.length === this.options.limit || !this.page.add(lines, `${match.path}:${match.line}`)) {
      this.truncated = true;
      return false;
    }
    this.matches.push(match);
    return true;
  }
}

function show(lines: readonly FoundLine[], before: FoundLine | undefined, context: number): string[] {
  let previous = before;
  return lines.flatMap((line) => {
    const gap = context > 0 && previous !== undefined && line.line > previous.line + 1;
    previous = line;
    return [...(gap ? ["--"] : []), `${line.line}${line.match ? ":" : "-"}${line.text}`];
  });
}

function readAs(pattern: string): string {
  const notices = [
    /\\n/.test(pattern) ? "Patterns are matched within single lines." : "",
    /\\\|/.test(pattern) ? String.raw`\| is the character |: alternatives are written a|b.` : "",
    /\\\{\d/.test(pattern) ? String.raw`\{ is the character {: repetitions are written a{2}.` : "",
  ].filter((sentence) => sentence !== "");
  return notices.map((sentence) => ` ${sentence}`).join("");
}
