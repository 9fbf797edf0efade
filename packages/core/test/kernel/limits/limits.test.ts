import { fc, test } from "@fast-check/vitest";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type ContentBlock, text, contentToText, type ToolResult } from "../../../src/contract/result.ts";
import { boundResult, type ResultLimits, resultLimitsFor } from "../../../src/kernel/limits/limits.ts";
import { createSpool, type Spool } from "../../../src/kernel/limits/spool.ts";

const dir = mkdtempSync(join(tmpdir(), "haft-limits-"));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

const full: { spool: Spool } = { spool: { write: () => ({ reason: "it is full" }), close: async () => {} } };
const untouched = {
  get spool(): Spool {
    throw new Error("the spool was asked for");
  },
};
const limits: ResultLimits = { ...resultLimitsFor(200_000), maxCharacters: 4000 };
const result = (content: ContentBlock[], details: unknown = {}): ToolResult => ({ content, details });
const png = (bytes: number): ContentBlock => ({
  type: "image",
  data: "A".repeat(Math.ceil(bytes / 3) * 4),
  mimeType: "image/png",
});
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("resultLimitsFor", () => {
  it.each([
    [8000, 36 * 1024],
    [200_000, 80_000 + 4096],
    [1_000_000, 132 * 1024],
    [0, 51_200 + 4096],
    [Number.NaN, 51_200 + 4096],
    [-5, 51_200 + 4096],
  ])("derives from a window of %d tokens %d characters", (tokens, characters) => {
    expect(resultLimitsFor(tokens).maxCharacters).toBe(characters);
  });

  it("accepts a limit within bounds", () => {
    expect(resultLimitsFor(8000, 500_000).maxCharacters).toBe(500_000);
    expect(resultLimitsFor(8000, 1).maxCharacters).toBe(2048);
  });
});

describe("text", () => {
  it("has a notice if the rest could not be stored", () => {
    const shown = contentToText(boundResult(result([text(numbered(5000))]), limits, full).content);
    expect(shown).toContain("The rest was not stored: it is full. Ask for less at once.");
  });

  it("has a notice about the missing part and the full text", () => {
    const whole = numbered(5000);
    const shown = contentToText(
      boundResult(result([text(whole)]), limits, { spool: createSpool({ dir }) }).content,
    );
    const notice =
      /\[Cut: 48,892 characters in all, ([\d,]+) shown \(lines 1–(\d+) and ([\d,]+)–5,000 of 5,000\)\. Full text: (\S+)\]/.exec(
        shown,
      );
    expect(notice).not.toBeNull();
    expect(readFileSync(notice![4]!, "utf8")).toBe(whole);
    expect(shown.startsWith("line 1\n")).toBe(true);
    expect(shown.endsWith("line 5000")).toBe(true);
    expect(shown).toContain(`line ${notice![2]}\n\n[Cut`);
    expect(shown).toContain(`]\n\nline ${notice![3]!.replace(",", "")}\n`);
  });

  it("has a notice of the caller about the rest", () => {
    const bounded = boundResult(
      result([text("x".repeat(5000))]),
      limits,
      full,
      (spooled, cut) => `${spooled.path} of ${cut.characters}`,
    );
    expect(contentToText(bounded.content)).toContain("undefined of 5000]");
  });

  it("keeps the language of a single block, and merges several in order", () => {
    const one = boundResult(result([text("x\n".repeat(5000), "diff")]), limits, full);
    expect(one.content).toMatchObject([{ type: "text", language: "diff" }]);
    const many = boundResult(
      result([png(3), text("first"), text("x\n".repeat(5000)), text("last"), png(3)]),
      limits,
      full,
    );
    expect(many.content.map((block) => block.type)).toEqual(["image", "text", "image"]);
    expect(contentToText(many.content)).toMatch(/^first\n[^]*\n\nlast$/);
  });

  it("becomes few blocks from a thousand", () => {
    const bounded = boundResult(
      result(Array.from({ length: 1000 }, (_, index) => text(String(index)))),
      limits,
      full,
    );
    expect(bounded.content).toHaveLength(1);
    expect(contentToText(bounded.content)).toContain("0\n\n1\n\n2");
  });
});

describe("images", () => {
  it("become a note beyond the limit, and smaller images stay", () => {
    const small = { ...limits, maxImageBytes: 2048 };
    const bounded = boundResult(result([text("two"), png(3000), png(300)]), small, untouched);
    expect(bounded.content).toEqual([
      text("two\n\n[1 of 2 images left out: one result holds at most 2 KiB of images.]"),
      png(300),
    ]);
    expect(boundResult(result([png(3000)]), small, untouched).content).toHaveLength(1);
  });

  it("are limited in number, and the note names this limit", () => {
    const many = boundResult(result(Array.from({ length: 250 }, () => png(3))), limits, untouched);
    expect(contentToText(many.content)).toMatch(/51 of 250 images .* 200 blocks/);
    expect(
      boundResult(result(Array.from({ length: 500 }, () => png(3))), limits, untouched).content,
    ).toHaveLength(200);
  });
});

describe("details", () => {
  const bounded = (details: unknown): unknown =>
    boundResult(result([text("a")], details), limits, untouched).details;

  it("lose large members, which are named", () => {
    expect(bounded({ path: "a", diff: "x".repeat(200_000), exitCode: 1 })).toEqual({
      path: "a",
      exitCode: 1,
      detailsCut: ["diff"],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["a bigint", { bad: 10n }],
    ["a function", { bad: () => 1 }],
    ["a symbol", { bad: Symbol("x") }],
    ["bytes", { bad: new Uint8Array(1_000_000) }],
  ])("lose members that are not JSON: %s", (_, details) => {
    expect(bounded({ ...details, path: "a" })).toEqual({ path: "a", detailsCut: ["bad"] });
  });

  it("lose cycles and getters that throw", () => {
    const cycle: Record<string, unknown> = { path: "a" };
    cycle["self"] = cycle;
    expect(JSON.stringify(bounded(cycle))).toBe('{"path":"a","detailsCut":["self"]}');
    const hostile = {
      path: "a",
      get bad(): string {
        throw new Error("boom");
      },
    };
    expect(JSON.stringify(bounded(hostile))).toBe('{"path":"a","detailsCut":["bad"]}');
  });

  it("become a short list from a million members", () => {
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`k${index}`, "x".repeat(100)]),
    );
    expect(JSON.stringify(bounded(many)).length).toBeLessThan(100_000);
  });
});

it("returns a result within the limits unchanged", () => {
  const small = result([text("a"), png(300)], { path: "a", nested: { list: [1, 2, { deep: null }] } });
  expect(boundResult(small, limits, untouched)).toBe(small);
});

const block = fc.oneof(
  fc
    .tuple(fc.constantFrom("a", "line\n", "😀", "error\n"), fc.nat({ max: 3000 }))
    .map(([unit, count]) => text(unit.repeat(count))),
  fc.nat({ max: 4000 }).map(png),
);
test.prop([
  fc.array(block, { maxLength: 12 }),
  fc.integer({ min: 2048, max: 20_000 }),
  fc.integer({ min: 2, max: 8 }),
])("limits any input", (content, maxCharacters, maxBlocks) => {
  const tight = { ...limits, maxCharacters, maxBlocks, maxImageBytes: 5000 };
  const bounded = boundResult(result(content), tight, full).content;
  expect(bounded.length).toBeLessThanOrEqual(maxBlocks);
  expect(contentToText(bounded).length).toBeLessThanOrEqual(maxCharacters + 2 * content.length);
  expect(contentToText(bounded).isWellFormed()).toBe(true);
  const bytes = bounded.reduce((sum, each) => sum + (each.type === "image" ? each.data.length * 0.75 : 0), 0);
  expect(bytes).toBeLessThanOrEqual(5000);
});
