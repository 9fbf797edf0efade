import { oldLinesOf, type PatchHunk } from "../parse/patch.ts";
import type { Anchor } from "./find-anchors.ts";

/** Lines to look for, by their number in the matcher. */
export interface Block {
  block: number;
  lines: readonly string[];
}

export interface WantedHunk {
  index: number;
  hunk: PatchHunk;
  old: Block;
  /** The old lines without one, two, … empty lines at the end. */
  shorter: Block[];
  anchors: Anchor[];
  heading: Anchor | undefined;
  rawHint: Anchor | undefined;
}

/** All that is looked for in a file, so that one search finds it all. Equal lines have one number. */
export function numberBlocks(hunks: readonly PatchHunk[]): { blocks: string[][]; wanted: WantedHunk[] } {
  const blocks: string[][] = [];
  const numbers = new Map<string, number>();
  const add = (lines: string[]): Block => {
    const key = `${lines.length}\n${lines.join("\n")}`;
    const block = numbers.get(key) ?? blocks.push(lines) - 1;
    numbers.set(key, block);
    return { block, lines };
  };
  const anchor = (text: string): Anchor => ({ block: add([text]).block, text });
  const wanted = hunks.map((hunk, index): WantedHunk => {
    const old = oldLinesOf(hunk);
    const spare = Math.min(hunk.trailingBlanks, old.length, 8);
    return {
      index,
      hunk,
      old: add(old),
      shorter: Array.from({ length: spare }, (_, blanks) => add(old.slice(0, old.length - blanks - 1))),
      anchors: hunk.anchors.map(anchor),
      heading: hunk.hint === undefined || hunk.hint.heading === "" ? undefined : anchor(hunk.hint.heading),
      rawHint: hunk.hint === undefined ? undefined : anchor(hunk.hint.raw),
    };
  });
  return { blocks, wanted };
}
