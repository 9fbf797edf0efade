import { fc, test } from "@fast-check/vitest";
import { applyPatch as applyUnifiedDiff } from "diff";
import { describe, expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { refineRegion } from "../../src/changes/text/content-diff.ts";
import { lineRegions } from "../../src/changes/text/line-regions.ts";
import type { Splice } from "../../src/changes/text/splice.ts";
import { applySplices, composeSplices, invertSplices, spliceBetween } from "../../src/changes/text/splice.ts";
import { unifiedDiff } from "../../src/changes/text/unified-diff.ts";

const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
const text = fc
  .array(fc.constantFrom("a", "b", "\n", "\n", "line\n", "é"), { maxLength: 60 })
  .map((parts) => Buffer.from(parts.join("")));

/** Any list of splices that fits a text. */
function splicesOf(source: Buffer, seeds: readonly [number, number, Uint8Array][]): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  for (const [skip, size, added] of seeds) {
    const start = Math.min(source.length, at + skip);
    const end = Math.min(source.length, start + size);
    splices.push({ start, end, bytes: added });
    at = end;
  }
  return splices;
}

const seeds = (content: fc.Arbitrary<Uint8Array>) =>
  fc.array(fc.tuple(fc.nat(9), fc.nat(9), content), { maxLength: 6 });
const some = fc.uint8Array({ maxLength: 5 });
const lines = fc
  .array(fc.constantFrom("x", "\n", "é"), { maxLength: 4 })
  .map((parts) => Buffer.from(parts.join("")));

describe("splices", () => {
  test.prop([bytes, seeds(some)])("are reversible", (before, choice) => {
    const splices = splicesOf(before, choice);
    expect(applySplices(applySplices(before, splices), invertSplices(before, splices))).toEqual(before);
  });

  test.prop([bytes, seeds(some), seeds(some)])("are composed to the effect of both", (before, one, two) => {
    const first = splicesOf(before, one);
    const middle = applySplices(before, first);
    const second = splicesOf(middle, two);
    const composed = composeSplices(first, second, before.length);
    expect(applySplices(before, composed)).toEqual(applySplices(middle, second));
    for (const [index, { start, end }] of composed.entries()) {
      expect(start).toBeLessThanOrEqual(end);
      expect(start).toBeGreaterThanOrEqual(composed[index - 1]?.end ?? 0);
    }
  });

  test.prop([bytes, bytes])("between two texts convert the first into the second", (before, after) => {
    expect(applySplices(before, spliceBetween(before, after))).toEqual(after);
  });
});

/** A line of bytes is cut apart by splices inside of characters: only whole characters here. */
function onCharacters(source: Buffer, splices: readonly Splice[]): boolean {
  const inside = (at: number): boolean => at < source.length && ((source[at] as number) & 0xc0) === 0x80;
  return splices.every(({ start, end }) => !inside(start) && !inside(end));
}

describe("the unified diff", () => {
  test.prop([text, seeds(lines)], { numRuns: scaleRuns(1000, 4) })(
    "converts the old text into the new text",
    (before, choice) => {
      const splices = splicesOf(before, choice);
      fc.pre(onCharacters(before, splices));
      const after = applySplices(before, splices);
      const diff = unifiedDiff(
        { before: "a/f", after: "b/f" },
        before,
        after,
        lineRegions(before, after, splices),
        1e6,
      );
      expect(applyUnifiedDiff(before.toString(), diff?.text ?? "")).toBe(after.toString());
    },
  );

  test.prop([text, text], { numRuns: scaleRuns(1000, 4) })(
    "still does after refinement",
    async (before, after) => {
      const splices = spliceBetween(before, after);
      const regions = [];
      for (const region of lineRegions(before, after, splices))
        regions.push(...(await refineRegion(before, after, region)));
      const diff = unifiedDiff({ before: "a/f", after: "b/f" }, before, after, regions, 1e6);
      expect(applyUnifiedDiff(before.toString(), diff?.text ?? "")).toBe(after.toString());
      const count = (sign: string): number =>
        (diff?.text ?? "")
          .split("\n")
          .slice(2)
          .filter((line) => line.startsWith(sign)).length;
      expect([diff?.added, diff?.removed]).toEqual([count("+"), count("-")]);
    },
  );
});
