import { fc, test as property } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { applyPatch as applyUnifiedDiff } from "diff";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { LocatedHunk } from "../../src/apply-patch/locate/hunk-placement.ts";
import { hunkSplices } from "../../src/apply-patch/locate/hunk-splices.ts";
import { locateHunks } from "../../src/apply-patch/locate/locate-hunks.ts";
import { parsePatch } from "../../src/apply-patch/parse/parse-patch.ts";
import type { UpdateSection } from "../../src/apply-patch/parse/patch.ts";
import { lineRegions } from "../../src/changes/text/line-regions.ts";
import { buildLineTable } from "../../src/changes/text/line-table.ts";
import { applySplices } from "../../src/changes/text/splice.ts";
import { unifiedDiff } from "../../src/changes/text/unified-diff.ts";

const line = fc.constantFrom("a", "b", "  a", "c ", "", "}", "“q”");
// A lone CR ends lines only where there is no LF.
const linesOf = (...endings: string[]) =>
  fc.array(fc.tuple(line, fc.constantFrom(...endings)), { maxLength: 20 });
const file = fc.record({
  lines: fc.oneof(
    { weight: 4, arbitrary: linesOf("\n", "\n", "\r\n") },
    { weight: 1, arbitrary: linesOf("\r") },
  ),
  bom: fc.boolean(),
  open: fc.boolean(),
});
const change = fc.constantFrom("keep", "keep", "remove", "add", "replace");

function render({ lines, bom, open }: { lines: [string, string][]; bom: boolean; open: boolean }): string {
  // Numbers make every line findable; their endings are what is under test.
  const texts = lines.map(
    ([text, end], index) => `${text}#${index}${open && index === lines.length - 1 ? "" : end}`,
  );
  return (bom ? "\ufeff" : "") + texts.join("");
}

/** A patch that changes lines as told, in hunks with one line of context. */
function hunksFor(lines: readonly [string, string][], changes: readonly string[]): string {
  const out: string[] = [];
  for (const [index, [text]] of lines.entries()) {
    const what = changes[index] ?? "keep";
    if (what === "keep") continue;
    const own = `${text}#${index}`;
    out.push("@@");
    if (what === "add") out.push(` ${own}`, "+", `+new ${index}`);
    else out.push(`-${own}`, ...(what === "replace" ? [`+new ${index}`] : []));
  }
  return out.join("\n");
}

function apply(content: string, hunks: string) {
  const patch = parsePatch(`*** Begin Patch\n*** Update File: f\n${hunks}\n*** End Patch`);
  const table = buildLineTable(Buffer.from(content));
  const placed = locateHunks(table, (patch.sections[0] as UpdateSection).hunks);
  const located = placed.filter((each): each is LocatedHunk => each.kind === "located");
  expect(located).toHaveLength(placed.length);
  const splices = hunkSplices(table, located, "\n");
  return { before: table.bytes, splices, after: applySplices(table.bytes, splices) };
}

describe("hunks", () => {
  property.prop([file, fc.array(change, { maxLength: 20 })], { numRuns: scaleRuns(1000, 5) })(
    "change exactly the named lines",
    (content, changes) => {
      const hunks = hunksFor(content.lines, changes);
      fc.pre(hunks !== "");
      const text = render(content);
      const { before, after, splices } = apply(text, hunks);
      const split = (value: string): string[] =>
        value
          .replace(/^\ufeff/, "")
          .split(/\r\n|\r|\n/)
          .filter((each) => each !== "");
      const expected = content.lines.flatMap(([own], index) => {
        const what = changes[index] ?? "keep";
        const kept = what === "remove" || what === "replace" ? [] : [`${own}#${index}`];
        return what === "replace" || what === "add" ? [...kept, `new ${index}`] : kept;
      });
      expect(split(after.toString())).toEqual(expected);
      expect(after.toString().startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
      // A file keeps ending as it ended.
      const isOpen = !/[\r\n]$/.test(text);
      if (expected.length > 0) {
        expect(!/[\r\n]$/.test(after.toString())).toBe(isOpen);
      }
      const regions = lineRegions(before, after, splices);
      const diff = unifiedDiff({ before: "a/f", after: "b/f" }, before, after, regions, 1e6);
      expect(applyUnifiedDiff(before.toString(), diff?.text ?? "", { autoConvertLineEndings: false })).toBe(
        after.toString(),
      );
    },
  );

  property.prop([file, fc.array(change, { maxLength: 20 })])(
    "keep the endings of context lines",
    (content, changes) => {
      const hunks = hunksFor(content.lines, changes);
      fc.pre(hunks !== "");
      const { after } = apply(render(content), hunks);
      for (const [index, [own, end]] of content.lines.entries()) {
        const what = changes[index] ?? "keep";
        const isLast =
          index >= content.lines.length - 1 || (changes.slice(index + 1).length > 0 && content.open);
        if (what !== "keep" || isLast) continue;
        expect(after.toString()).toContain(`${own}#${index}${end}`);
      }
    },
  );
});

const shred = fc.constantFrom(
  "*** Begin Patch",
  "*** End Patch",
  "*** Add File: a",
  "*** Update File: b",
  "*** Modify File: b",
  "*** Delete File: c",
  "*** Move File: a -> b",
  "*** Move to: d",
  "*** End of File",
  "*** Environment ID: x",
  "*** ",
  "@@",
  "@@ anchor",
  "@@ -1,2 +3,4 @@ head",
  "@@@@",
  "+a",
  "-a",
  " a",
  "a",
  "",
  "\\ No newline at end of file",
  "```",
  "<<EOF",
);

describe("the parser", () => {
  property.prop([fc.array(fc.oneof(shred, fc.string()), { maxLength: 15 })], {
    numRuns: scaleRuns(5000, 10),
  })("reads or refuses, and throws nothing but its own errors", (lines) => {
    for (const input of [lines.join("\n"), ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")]) {
      try {
        expect(parsePatch(input).sections.length).toBeGreaterThan(0);
      } catch (error) {
        if (!HaftError.is(error)) throw error;
        expect(["PATCH_INVALID", "PATCH_INVALID", "INVALID_TEXT"]).toContain(error.code);
      }
    }
  });

  test("takes linear time: a line of many blanks, many carriage returns, many lines", () => {
    const n = 200_000;
    const body = [
      `*** Update File: ${" ".repeat(n)}a`,
      `@@ ${" ".repeat(n)}x`,
      ` ${"\r".repeat(n)}x`,
      ...Array.from({ length: n }, () => "-a"),
    ];
    const [section] = parsePatch(`*** Begin Patch\n${body.join("\n")}\n*** End Patch`).sections;
    expect((section as UpdateSection).hunks[0]?.lines).toHaveLength(n + 1);
  });
});
