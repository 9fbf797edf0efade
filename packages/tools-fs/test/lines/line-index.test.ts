import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { LineIndex } from "../../src/lines/line-index.ts";
import type { Scanner } from "../../src/lines/scanner.ts";

type Counting = Pick<Scanner, "buffer" | "count">;

/** A scanner over a pretended file: `at` line feeds lie at these (sorted) positions of the slice. */
function pretend(newlines: readonly number[], lastByte: number, length: number): Counting {
  return {
    buffer: { [length - 1]: lastByte } as unknown as Buffer,
    count: (from, to) => newlines.filter((at) => at >= from && at < to).length,
  };
}

const STRIDE = 256 * 1024;

test.prop([fc.uniqueArray(fc.nat(8 * STRIDE - 1), { minLength: 1, maxLength: 60 })])(
  "finds the block in which a line begins",
  (positions) => {
    const newlines = positions.toSorted((a, b) => a - b);
    const index = new LineIndex("v", 0, 10);
    index.add(pretend(newlines, 0, 8 * STRIDE), 0, 8 * STRIDE, true);
    newlines.forEach((position, n) => {
      const block = index.find(n + 2);
      if (block === undefined) throw new Error("not found");
      const inside = newlines.filter((at) => at >= block.start && at < block.start + block.length);
      expect(inside[block.nth - 1]).toBe(position);
    });
    expect(index.find(newlines.length + 2)).toBeUndefined();
    expect(index.lines).toBe(newlines.length + 1);
  },
);

it("stays small for a file of 64 GB and finds every line", () => {
  // One line feed at the end of every 256 KiB: line n begins at (n - 1) * 256 KiB.
  const everywhere: Counting = {
    buffer: { [4 * 1024 * 1024 - 1]: 10 } as unknown as Buffer,
    count: (from, to) => (to - from) / STRIDE,
  };
  const index = new LineIndex("v", 0, 10);
  const slices = (64 * 1024) / 4;
  for (let slice = 0; slice < slices; slice += 1)
    index.add(everywhere, 0, 4 * 1024 * 1024, slice === slices - 1);
  expect(index.lines).toBe(64 * 4096);
  for (const line of [2, 3, 4, 5, 1000, 32_768, 32_769, 65_537, 64 * 4096]) {
    const block = index.find(line);
    if (block === undefined) throw new Error(`line ${line} not found`);
    expect(block.start + block.nth * STRIDE).toBe((line - 1) * STRIDE);
    expect(block.length).toBeLessThanOrEqual(4 * 1024 * 1024);
  }
});
