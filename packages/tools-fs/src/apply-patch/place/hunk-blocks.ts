import type { PatchHunk } from "../parse/patch.ts";
import { oldLinesOf } from "../parse/patch.ts";
import type { Anchor } from "./find-anchors.ts";

/** One hunk's blocks of lines, by their numbers in the matcher. */
export interface HunkBlocks {
  old: number;
  /** The old lines without one, two, … empty lines at the end. */
  shorter: number[];
  anchors: Anchor[];
  heading: Anchor | undefined;
  rawHint: Anchor | undefined;
}

/** All that is looked for in a file, so that one search finds it all. */
export function numberBlocks(hunks: readonly PatchHunk[]): { blocks: string[][]; numbered: HunkBlocks[] } {
  const blocks: string[][] = [];
  const add = (lines: string[]): number => blocks.push(lines) - 1;
  const anchor = (text: string): Anchor => ({ block: add([text]), text });
  const numbered = hunks.map((hunk): HunkBlocks => {
    const old = oldLinesOf(hunk);
    const spare = Math.min(hunk.trailingBlanks, old.length, 8);
    return {
      old: add(old),
      shorter: Array.from({ length: spare }, (_, index) => add(old.slice(0, old.length - index - 1))),
      anchors: hunk.anchors.map(anchor),
      heading: hunk.hint === undefined || hunk.hint.heading === "" ? undefined : anchor(hunk.hint.heading),
      rawHint: hunk.hint === undefined ? undefined : anchor(hunk.hint.raw),
    };
  });
  return { blocks, numbered };
}
