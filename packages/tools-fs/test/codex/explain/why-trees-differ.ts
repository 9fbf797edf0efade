import type { Item } from "../items/make-item.ts";
import { linesOf, type PlacedHunk, type Replay } from "./replay.ts";
import type { RowName } from "./rows.ts";
import { isAlike, whereCodexAnchors } from "./where-codex-puts.ts";

type Tree = Readonly<Record<string, string>>;
interface Both<Value> {
  ours: Value;
  theirs: Value;
}

/** Rows for two trees that both came of the patch; nothing if one file is not explained. */
export function whyTreesDiffer(
  { files }: Item,
  { codex, haft }: { codex: Tree; haft: Tree },
  replays: Both<Replay>,
): readonly RowName[] | undefined {
  const names: RowName[] = [];
  for (const path of new Set([...Object.keys(codex), ...Object.keys(haft)])) {
    const [theirs, ours] = [codex[path], haft[path]];
    if (theirs === ours) continue;
    const hunks = replays.ours.hunks.filter(({ section }) => (section.moveTo ?? section.path) === path);
    const origin = files[hunks[0]?.section.path ?? path] ?? "";
    const found =
      theirs === undefined || ours === undefined
        ? whyMissing(hunks, path, { ours: haft, theirs: codex })
        : whyFileDiffers({ path, hunks, origin }, { ours, theirs }, replays);
    if (found === undefined) return undefined;
    names.push(...found);
  }
  return names;
}

function whyMissing(
  hunks: readonly PlacedHunk[],
  path: string,
  { ours, theirs }: Both<Tree>,
): RowName[] | undefined {
  // A second blank belongs to the path for Codex.
  const spellings = [path, path.startsWith(" ") ? path.trimStart() : ` ${path}`];
  const isThere = (tree: Tree): boolean => spellings.some((each) => each in tree);
  if (isThere(ours) && isThere(theirs)) return ["spelled-headers"];
  const onItself = hunks.some(({ section }) => section.path === path && section.moveTo === path);
  return onItself && path in ours ? ["moved-onto-itself"] : undefined;
}

interface File {
  path: string;
  hunks: readonly PlacedHunk[];
  /** As it was. */
  origin: string;
}

function whyFileDiffers(
  { path, hunks, origin }: File,
  texts: Both<string>,
  replays: Both<Replay>,
): RowName[] | undefined {
  if (isBelowBlank(hunks, origin, texts)) return ["blank-line-between"];
  const names: RowName[] = [];
  const endings = { ours: endingsOf(texts.ours), theirs: endingsOf(texts.theirs) };
  const lines = { ours: replays.ours.tree.get(path) ?? [], theirs: replays.theirs.tree.get(path) ?? [] };
  // With hunks where Codex puts them, this is its file.
  const expected = lines.theirs.map(({ text }) => text);
  if (replays.theirs.problem !== undefined || !areEqual(linesOf(texts.theirs), expected)) return undefined;
  const isOpen =
    endings.theirs.length === lines.theirs.length && endings.ours.length === lines.ours.length - 1;
  if (isOpen && /[\r\n]$/.test(origin)) return undefined;
  if (isOpen || replays.ours.hidden.has(path)) names.push("final-newline");
  const mixed = new Set([...endings.ours, ...endingsOf(origin)]).size > 1;
  const common = Math.min(endings.ours.length, endings.theirs.length);
  if (mixed && !areEqual(endings.ours.slice(0, common), endings.theirs.slice(0, common)))
    names.push("line-endings");
  let isElsewhere = false;
  for (const placed of hunks) {
    const name = whyElsewhere(placed);
    if (name === "same-place") continue;
    // What comes after a hunk that is elsewhere may be elsewhere because of it.
    if (name === undefined && !isElsewhere) return undefined;
    if (name !== undefined) names.push(name);
    isElsewhere = true;
  }
  const found = linesOf(texts.ours);
  const own = lines.ours.map(({ text }) => text);
  if (found.some((line, index) => line !== own[index])) names.push("re-indented");
  if (!isElsewhere && !replays.ours.hidden.has(path) && !areEqual(own, expected)) names.push("order-at-end");
  return names;
}

/**
 * New lines alone, below a blank one that stands beside the header. For Codex that is their context: where a file has none,
 * it begins with all of them.
 */
function isBelowBlank(hunks: readonly PlacedHunk[], origin: string, { ours, theirs }: Both<string>): boolean {
  const [placed] = hunks;
  if (placed === undefined || hunks.length > 1) return false;
  const { hunk, blanks } = placed;
  if (blanks !== 1 || hunk.anchors.length > 0 || hunk.lines.some(({ kind }) => kind !== "add")) return false;
  const added = hunk.lines.map(({ text }) => text);
  const before = linesOf(origin);
  const isBlank = (line: string) => line.trim() === "";
  const at = before.findIndex(isBlank);
  const expected = at < 0 ? ["", ...added, ...before] : before.toSpliced(at + 1, 0, ...added);
  return areEqual(linesOf(theirs), expected) && areEqual(linesOf(ours), [...before, ...added]);
}

/** Why Codex puts a hunk in another place; `undefined` if no row says so. */
export function whyElsewhere(placed: PlacedHunk): RowName | "same-place" | undefined {
  const { hunk, ours, theirs, isMarked, blanks, lines, cursor } = placed;
  if (theirs !== undefined && ours.start === theirs.start && ours.size === theirs.size) return "same-place";
  if (isMarked) return "byte-order-mark";
  const old = hunk.lines.filter(({ kind }) => kind !== "add").length;
  const [anchor] = hunk.anchors;
  if (old === 0)
    return ours.start < lines.length && anchor !== undefined ? "insertion-below-anchor" : undefined;
  if (hunk.trailingBlanks > 0 && ours.size < old) return "blank-line-between";
  if (anchor !== undefined) {
    if (anchor !== anchor.trimEnd()) return "anchor-form";
    const places = lines.flatMap((line, index) => (isAlike(line, anchor) ? [index] : []));
    const own = places.findLast((place) => place < ours.start + ours.size);
    if (own !== undefined && own < cursor) return "anchor-again";
    if (own !== undefined && own >= ours.start) return "anchor-as-context";
    const first = whereCodexAnchors(hunk, lines, cursor);
    if (first !== undefined && theirs !== undefined && isOutside(lines, first, theirs.start))
      return "outside-anchor";
  }
  if (blanks > 0) return "blank-line-between";
  if (theirs !== undefined && theirs.size < old) return "blank-context";
  return undefined;
}

const endingsOf = (text: string): string[] => text.match(/\r\n|\r|\n/g) ?? [];

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, index) => line === other[index]);

/** Between the two lines something begins that is indented as the first is, or less. */
export function isOutside(lines: readonly string[], anchor: number, place: number): boolean {
  const depth = (line: string): number => line.length - line.trimStart().length;
  const between = lines.slice(anchor + 1, place + 1);
  return between.some((each) => /^\s*[\w-]/.test(each) && depth(each) <= depth(lines[anchor] ?? ""));
}
