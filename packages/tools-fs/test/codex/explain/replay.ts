import { parsePatch } from "../../../src/apply-patch/parse/parse-patch.ts";
import type { PatchHunk, UpdateSection } from "../../../src/apply-patch/parse/patch.ts";
import type { HunkReport } from "../../../src/changes/plan/change-report.ts";
import type { Question } from "../ask/ask-codex.ts";
import type { HaftAnswer } from "../ask/ask-haft.ts";
import { isAlike, type Place, whereCodexPuts } from "./where-codex-puts.ts";

/** A line of a file, and whether Haft says that it gave it another indentation. */
export interface ReplayedLine {
  text: string;
  adopted: boolean;
}

/** A hunk, and where each of both says it belongs. */
export interface PlacedHunk {
  section: UpdateSection;
  hunk: PatchHunk;
  /** Lines of the file before this section. */
  lines: readonly string[];
  ours: Place;
  theirs: Place | undefined;
  /** Codex would find it, or put it where Haft does, if the file had no byte order mark. */
  isMarked: boolean;
  /** Blank lines between the header and the first hunk. */
  blanks: number;
  /** Haft says that it was made before. */
  isApplied: boolean;
  /** First line below what Haft found for the hunks before it. */
  cursor: number;
}

/** A tree as it is when each hunk is where somebody puts it. */
export interface Replay {
  tree: Map<string, ReplayedLine[]>;
  hunks: PlacedHunk[];
  /** Files that would end in an empty line without an ending, which is none. */
  hidden: Set<string>;
  /** What does not hold: lines of hunks that do not stand where they should. */
  problem?: string;
}

/** Lines as both count them, whatever they end in. */
export function linesOf(text: string): string[] {
  const lines = text.replaceAll("\ufeff", "").split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * The tree that comes of the patch, worked out on lines, without anything of Haft's but its reading of the patch.
 *
 * @param whose With the hunks where Haft's report says they are, or where Codex puts them.
 */
export function replay({ files, patch }: Question, { report }: HaftAnswer, whose: "ours" | "theirs"): Replay {
  const fresh = (text: string): ReplayedLine => ({ text, adopted: false });
  const tree = new Map(
    Object.entries(files).map(([path, text]) => [path, linesOf(text).map(fresh)] as const),
  );
  const reports = new Map(
    report?.files.flatMap(({ hunks }) => hunks.map((hunk) => [hunk.patchLine, hunk] as const)),
  );
  const open = new Set(Object.keys(files).filter((path) => !/[\r\n]$/.test(files[path] ?? "")));
  const result: Replay = { tree, hunks: [], hidden: new Set() };
  for (const section of parsePatch(patch).sections) {
    const { path } = section;
    if (section.kind === "add") tree.set(path, section.content.map(fresh));
    else if (section.kind === "delete") tree.delete(path);
    else {
      const before = tree.get(path) ?? [];
      const hasMark = files[path]?.startsWith("\ufeff") === true;
      const hunks = placeHunks(section, { before, hasMark, blanks: blanksBelow(patch, section) }, reports);
      result.hunks.push(...hunks);
      const after =
        hunks.length < section.hunks.length
          ? "not all hunks are reported"
          : apply(before, hunks, reports, whose);
      if (typeof after === "string") return { ...result, problem: `${path}: ${after}` };
      // Where a file ends without a line ending, an empty last line cannot be seen: it ends the one before.
      const isOpen = open.delete(path);
      if (whose === "ours" && isOpen && after.at(-1)?.text === "") {
        after.pop();
        result.hidden.add(section.moveTo ?? path);
      } else if (isOpen) open.add(section.moveTo ?? path);
      tree.delete(path);
      tree.set(section.moveTo ?? path, after);
    }
  }
  return result;
}

type Reports = ReadonlyMap<number | undefined, HunkReport>;

/** Stands for a byte order mark, which is no white space for Codex. */
const MARK = "\u0001";

interface Found {
  before: readonly ReplayedLine[];
  hasMark: boolean;
  blanks: number;
}

function placeHunks(
  section: UpdateSection,
  { before, hasMark, blanks }: Found,
  reports: Reports,
): PlacedHunk[] {
  const lines = before.map(({ text }) => text);
  const isApart = section.hunks[0] === undefined || section.hunks[0].line > section.line + blanks;
  const taken = isApart ? blanks : 0;
  const unmarked = whereCodexPuts(section.hunks, lines, taken);
  const theirs = hasMark
    ? whereCodexPuts(section.hunks, [MARK + (lines[0] ?? ""), ...lines.slice(1)], taken)
    : unmarked;
  let cursor = 0;
  return section.hunks.flatMap((hunk, index): PlacedHunk[] => {
    const report = reports.get(hunk.line);
    if (report === undefined) return [];
    const ours = { start: report.oldStart - 1, size: report.oldLines };
    const [own, plain] = [theirs[index], unmarked[index]];
    const isMarked =
      hasMark &&
      plain !== undefined &&
      (own === undefined || (plain.start === ours.start && plain.size === ours.size));
    const each = {
      section,
      hunk,
      lines,
      ours,
      theirs: own,
      isMarked,
      blanks,
      isApplied: report.alreadyApplied === true,
      cursor,
    };
    if (ours.size > 0 || hunk.anchors.length > 0) cursor = ours.start + ours.size;
    return [each];
  });
}

/** What is put in at one place follows in the order of the hunks: for Codex that of the patch, for Haft that of the file. */
function apply(
  before: readonly ReplayedLine[],
  hunks: readonly PlacedHunk[],
  reports: Reports,
  whose: "ours" | "theirs",
): ReplayedLine[] | string {
  const added = new Map<number, ReplayedLine[]>();
  const removed = new Set<number>();
  const ordered =
    whose === "theirs" ? hunks : hunks.toSorted((one, other) => one.ours.start - other.ours.start);
  for (const { hunk, [whose]: place } of ordered) {
    const report = reports.get(hunk.line);
    if (report?.alreadyApplied === true) continue;
    if (place === undefined) return `the hunk of patch line ${hunk.line} has no place`;
    let at = place.start;
    // New lines stand where the lines begin that they replace.
    let from = at;
    const add = (text: string): void => {
      added.set(from, [...(added.get(from) ?? []), { text, adopted: report?.indentation !== undefined }]);
    };
    for (const { kind, text } of hunk.lines) {
      if (kind === "add") {
        add(text);
        continue;
      }
      // Empty lines at the end that only separated hunks cover nothing; Codex puts one in if new lines follow.
      if (at >= place.start + place.size && text === "") {
        if (whose === "theirs" && kind === "context" && hunk.lines.at(-1)?.kind === "add") add(text);
        continue;
      }
      if (!isAlike(before[at]?.text, text)) return `${JSON.stringify(text)} is not at line ${at + 1}`;
      if (kind === "remove") removed.add(at);
      at += 1;
      if (kind === "context") from = at;
    }
  }
  const after: ReplayedLine[] = [];
  for (let at = 0; at <= before.length; at += 1) {
    after.push(...(added.get(at) ?? []));
    if (at < before.length && !removed.has(at)) after.push(before[at] as ReplayedLine);
  }
  return after;
}

function blanksBelow(patch: string, { line, moveTo }: UpdateSection): number {
  const below = patch.split("\n").slice(line + (moveTo === undefined ? 0 : 1));
  const first = below.findIndex((each) => each.replace(/\r+$/, "") !== "");
  return first < 0 ? 0 : first;
}
