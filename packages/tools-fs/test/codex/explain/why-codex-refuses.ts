import type { Item } from "../items/make-item.ts";
import type { PlacedHunk, Replay } from "./replay.ts";
import type { RowName } from "./rows.ts";
import { isAlike, whereCodexAnchors } from "./where-codex-puts.ts";
import { whyElsewhere } from "./why-trees-differ.ts";

/** Rows for what Codex refused, by what it says and the very line or hunk it says it of. */
export function whyCodexRefuses({ patch }: Item, said: string, replayed: Replay): readonly RowName[] {
  if (replayed.hunks.some(isDone) && replayed.hunks.every(isDone)) return ["already-applied"];
  const lines = patch.split("\n").map((line) => line.replace(/\r+$/, ""));
  if (/The (?:first|last) line of the patch must be/.test(said)) return aroundEnvelope(lines);
  if (said.startsWith("Invalid patch hunk on line ")) return badLine(lines, said);
  // A second blank belongs to the path for Codex.
  const unread = /^Failed to (?:read file to update|delete file) .*\/( .*?)(?::|$)/m.exec(said)?.[1];
  if (unread !== undefined)
    return lines.some((line) => line.endsWith(`: ${unread}`)) ? ["spelled-headers"] : [];
  const inQuestion = (hunk: PlacedHunk): RowName[] => whyNotFound(hunk, lines);
  const [, context] = /^Failed to find context '(.*)' in /s.exec(said) ?? [];
  if (context !== undefined) {
    const named = replayed.hunks.filter((hunk) => nameOf(hunk, lines)?.trimEnd() === context.trimEnd());
    return or(named.flatMap(inQuestion), () => named.flatMap((hunk) => whyTooFar(hunk, replayed)));
  }
  const [, expected] = /^Failed to find expected lines in [^\n]*:\n(.*)$/s.exec(said) ?? [];
  if (expected === undefined) return [];
  const wanted = expected.trimEnd();
  // Blank lines that stand alone are a hunk of empty context for Codex.
  if (wanted === "" && lines.some((line, at) => line === "" && isMark(lines[at + 1])))
    return ["blank-line-between"];
  const found = replayed.hunks.filter((hunk) => oldTextOf(hunk).trimEnd() === wanted);
  const stripped = wanted.replace(/^\n+/, "");
  if (found.length === 0 && stripped !== wanted)
    return replayed.hunks.some((hunk) => hunk.blanks > 0 && oldTextOf(hunk).trim() === stripped.trim())
      ? ["blank-line-between"]
      : [];
  return or(found.flatMap(inQuestion), () => found.flatMap((hunk) => whyTooFar(hunk, replayed)));
}

const or = (names: RowName[], others: () => RowName[]): RowName[] => (names.length > 0 ? names : others());

/** Codex was too far down already: it put a hunk before elsewhere, or took a blank line for a hunk. */
function whyTooFar({ section, hunk, blanks }: PlacedHunk, { hunks }: Replay): RowName[] {
  const before = hunks.filter((each) => each.section === section && each.hunk.line < hunk.line);
  const elsewhere = before
    .filter(({ theirs }) => theirs !== undefined)
    .map(whyElsewhere)
    .filter((name) => name !== "same-place" && name !== undefined);
  if (elsewhere.length > 0) return elsewhere;
  return blanks > 0 ? ["blank-line-between"] : [];
}

const isDone = ({ isApplied }: PlacedHunk): boolean => isApplied;

const isMark = (line: string | undefined): boolean => line === "" || /^(?:@@|\*\*\* )/.test(line ?? "");

/** What stands outside of the envelope is none of its lines; or there is more than one. */
function aroundEnvelope(lines: readonly string[]): RowName[] {
  // Codex leaves out blanks, but no byte order mark.
  const bare = lines.map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ""));
  const begins = bare.filter((line) => line === "*** Begin Patch").length;
  const first = bare.find((line) => line !== "");
  const last = bare.findLast((line) => line !== "");
  if (first !== "*** Begin Patch" || last !== "*** End Patch") return ["around-the-envelope"];
  return begins > 1 ? ["several-envelopes"] : [];
}

/** The line Codex shows, which it takes for a header or the beginning of a hunk. */
function badLine(lines: readonly string[], said: string): RowName[] {
  if (/Update file hunk for path '.*' is empty/.test(said)) return ["move-only"];
  const shown =
    /'(.*)' is not a valid hunk header/s.exec(said)?.[1] ??
    /marker, got: '(.*)'\s*$/s.exec(said)?.[1] ??
    /Unexpected line found in update hunk: '(.*)'\. Every/s.exec(said)?.[1];
  if (shown === undefined) return [];
  const at = lines.findIndex((line) => line.trim() === shown.trim());
  if (at < 0) return [];
  if (shown.trim() === "") return ["blank-line-between"];
  if (/^\*\*\* (?:Begin|End) Patch$/.test(shown.trim())) return ["several-envelopes"];
  if (/^\s*\*\*\*\s+(?:(?:Add|Delete|Update|Modify|Move)\s+File|Move\s+to):/i.test(shown))
    return ["spelled-headers"];
  if (shown.startsWith("\\ No newline")) return ["no-newline-mark"];
  if (shown.startsWith("@@")) return ["several-anchors"];
  const header = lines.slice(0, at).findLast((line) => line.trimStart().startsWith("***"));
  return header?.trimStart().startsWith("*** Add File:") === true ? ["added-without-plus"] : [];
}

/** The text of a hunk's `@@` line, as Codex looks for it. */
function nameOf({ hunk }: PlacedHunk, lines: readonly string[]): string | undefined {
  const line = lines[hunk.line - 1];
  return line?.startsWith("@@ ") === true ? line.slice(3) : undefined;
}

const oldTextOf = ({ hunk }: PlacedHunk): string =>
  hunk.lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text])).join("\n");

function whyNotFound(placed: PlacedHunk, patch: readonly string[]): RowName[] {
  const { hunk, lines, ours, theirs, isMarked, cursor } = placed;
  if (hunk.hint !== undefined) return ["line-numbers"];
  if (isMarked && theirs === undefined) return ["byte-order-mark"];
  const name = nameOf(placed, patch);
  if (name !== undefined && hunk.anchors[0] !== name) return ["anchor-form"];
  const [anchor] = hunk.anchors;
  if (anchor !== undefined) {
    if (anchor !== anchor.trimEnd()) return ["anchor-form"];
    const places = lines.flatMap((line, index) => (isAlike(line, anchor) ? [index] : []));
    const first = whereCodexAnchors(hunk, lines, cursor);
    const isAbove = places.some((place) => place < cursor);
    if (first !== undefined && first >= ours.start && first < ours.start + ours.size)
      return ["anchor-as-context"];
    if ((first === undefined || first >= ours.start) && isAbove) return ["anchor-again"];
  }
  const old = hunk.lines.filter(({ kind }) => kind !== "add").length;
  return old > ours.size && hunk.trailingBlanks > 0 ? ["blank-line-between"] : [];
}
