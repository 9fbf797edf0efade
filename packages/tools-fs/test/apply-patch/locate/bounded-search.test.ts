import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { longestTurn } from "../../../../../test/support/longest-turn.ts";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { applyPatch } from "../../../src/apply-patch/apply-patch-text.ts";
import { createAnchorBlocks } from "../../../src/apply-patch/locate/anchor-blocks.ts";
import { iterateHunkPlacements } from "../../../src/apply-patch/locate/locate-hunks.ts";
import { parsePatch } from "../../../src/apply-patch/parse/parse-patch.ts";
import type { UpdateSection } from "../../../src/apply-patch/parse/patch.ts";
import { SearchBudget } from "../../../src/changes/match/search-budget.ts";
import { buildLineTable } from "../../../src/changes/text/line-table.ts";
import { readContents, createMemoryFileSystem } from "../../support/memory-file-system.ts";

/** Processor time of one turn, many times what a quiet machine needs; without the bounds these took half a minute. */
const LONGEST_TURN_MS = 8_000;

const patchOf = (hunks: string): string => `*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch`;

/** Steps of placing, and the placements. */
function search(content: string, hunks: string) {
  const table = buildLineTable(Buffer.from(content));
  const section = parsePatch(patchOf(hunks)).sections[0] as UpdateSection;
  const lines = section.hunks.reduce((sum, hunk) => sum + hunk.lines.length, table.count);
  const budget = SearchBudget.final(lines);
  const placements = [...iterateHunkPlacements(table, section.hunks, budget)];
  return { steps: budget.usedSteps, lines, placements };
}

async function refusal(content: string, hunks: string): Promise<{ code: string; message: string }> {
  const fs = createMemoryFileSystem({ f: Buffer.from(content) });
  try {
    await applyPatch(patchOf(hunks), { fs });
    return { code: "applied", message: "" };
  } catch (error) {
    return error as { code: string; message: string };
  }
}

describe("the search for hunks", () => {
  const anchors = "@@ }\n-  x\n+  y";
  const repeated = (count: number): string => "@@\n x\n-x\n+y\n".repeat(count).trimEnd();

  test("takes linear steps, even if the anchor occurs very often", () => {
    for (const count of [5_000, 20_000]) {
      const { steps, lines, placements } = search("  x\n}\n".repeat(count), anchors);
      expect(steps).toBeLessThan(32 * lines);
      expect(placements[0]).toMatchObject({ kind: "conflict", reason: "ambiguous" });
    }
  });

  test("stops at its budget and reports only some locations", () => {
    const { steps, placements } = search("x\n".repeat(100_000), repeated(1_000));
    expect(steps).toBeLessThan((1 << 24) + 64 * 110_000);
    expect(placements.every(({ kind }) => kind === "conflict")).toBe(true);
    expect(placements.at(-1)).toMatchObject({ reason: "too-repetitive" });
    for (const placement of placements)
      if ("startLines" in placement) expect(placement.startLines.length).toBeLessThanOrEqual(9);
  });

  test("uses as many equal hunks as locations", () => {
    const { placements } = search("x\ny\n".repeat(2_000), "@@\n-x\n+z\n".repeat(2_000).trimEnd());
    expect(placements.map((each) => (each.kind === "located" ? each.start : -1))).toEqual(
      Array.from({ length: 2_000 }, (_, index) => 2 * index),
    );
  });

  test("rejects repetitive files with PATCH_CONFLICT without blocking other work", async () => {
    const found: string[] = [];
    const longest = await longestTurn(async () => {
      found.push((await refusal("  x\n}\n".repeat(30_000), anchors)).code);
      const many = await refusal("x\n".repeat(100_000), repeated(2_000));
      found.push(many.code);
      expect(many.message).toContain("(2000 conflicts)");
    });
    expect(found).toEqual(["PATCH_CONFLICT", "PATCH_CONFLICT"]);
    expect(longest).toBeLessThan(LONGEST_TURN_MS);
  });

  test("continues on a worker thread for a large file with equal results", async () => {
    const line = (index: number): string => `    const value${index} = compute(${index});\n`;
    const content = Array.from({ length: 150_000 }, (_, index) => line(index)).join("");
    const fs = createMemoryFileSystem({ f: Buffer.from(content) });
    const longest = await longestTurn(async () => {
      // The white space at the end of the line is found by a later pass only.
      await applyPatch(patchOf("@@\n-    const value123456 = compute(123456);  \n+    found\n"), { fs });
      const { message } = await refusal(content, "@@\n-    const value12 = computed(12);\n+x");
      expect(message).toContain("Nearest text, lines 13-13:\n    const value12 = compute(12);");
    });
    expect(String((await readContents(fs)).get("f"))).toBe(content.replace(line(123_456), "    found\n"));
    expect(longest).toBeLessThan(LONGEST_TURN_MS);
  });
});

const word = fc.constantFrom(
  "x",
  "def run(self):",
  "class A {",
  "}",
  "else {",
  "{",
  "# note",
  '"""',
  "f(",
  ")",
  "",
);
const indented = fc.tuple(fc.constantFrom("", "  ", "    ", "\t"), word).map((parts) => parts.join(""));

property.prop([fc.array(indented, { minLength: 1, maxLength: 40 })], { numRuns: scaleRuns(5_000, 10) })(
  "the index of blocks has the same results as walking lines",
  (lines) => {
    const table = buildLineTable(Buffer.from(`${lines.join("\n")}\n`));
    // One comparison for all of it: hundreds of thousands would take most of the time.
    const answers = (walks: number) => {
      const blocks = createAnchorBlocks(table, walks);
      return Array.from({ length: table.count }, (_, anchor) => {
        const below = Array.from({ length: table.count - anchor }, (__, index) => anchor + 1 + index);
        return [blocks.findEnd(anchor), ...below.map((line) => blocks.isWithin(anchor, line))].join(" ");
      });
    };
    const walked = answers(Number.POSITIVE_INFINITY);
    for (const walks of [0, 0.2]) expect(answers(walks)).toEqual(walked);
  },
);

describe("a large patch", () => {
  const refused = (body: string): string => {
    try {
      parsePatch(`*** Begin Patch\n${body}\n*** End Patch`);
      return "read";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("is rejected early if it has too many lines, hunks or files", () => {
    expect(refused(`*** Add File: a\n${"+\n".repeat(250_001)}`)).toContain("more than 250000 lines");
    expect(refused(`*** Update File: a\n${"@@\n+x\n".repeat(20_001)}`)).toContain("more than 20000 hunks");
    expect(refused("*** Delete File: a\n".repeat(10_001))).toContain("changes more than 10000 files");
  });

  test("with thousands of files does not block other work", async () => {
    const files = Array.from({ length: 2_000 }, (_, index) => `*** Add File: d/${index}\n+x`);
    const fs = createMemoryFileSystem({});
    const longest = await longestTurn(() =>
      applyPatch(`*** Begin Patch\n${files.join("\n")}\n*** End Patch`, { fs, dryRun: true }),
    );
    expect(longest).toBeLessThan(LONGEST_TURN_MS);
  });
});
