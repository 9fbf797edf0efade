import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { cutText } from "../../../src/kernel/limits/cut-text.ts";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

it("cuts at line ends and reports the remaining lines", () => {
  const cut = cutText(numbered(1000), 1000);
  expect(cut.shown).toBeDefined();
  const { headTo, tailFrom } = cut.shown!;
  expect(cut.head.endsWith(`line ${headTo}\n`)).toBe(true);
  expect(cut.tail.startsWith(`line ${tailFrom}\n`)).toBe(true);
  expect(cut.lines).toBe(1000);
});

it("keeps more of an end with a result", () => {
  const quiet = cutText(numbered(1000), 1000);
  const loud = cutText(`${numbered(1000)}3 tests failed\n`, 1000);
  expect(loud.tail.length).toBeGreaterThan(2 * quiet.tail.length);
});

it("cuts inside a long line without reported lines", () => {
  expect(cutText("x".repeat(5000), 1000)).toMatchObject({ characters: 5000, lines: 1 });
  expect(cutText("x".repeat(5000), 1000).shown).toBeUndefined();
});

const text = fc
  .array(fc.constantFrom("a", "bb", "\n", "\n\n", "😀", "ü", "error "), { minLength: 1, maxLength: 400 })
  .map((parts) => parts.join(""));

test.prop([text, fc.nat({ max: 600 })])(
  "keeps both ends within the budget, in whole characters",
  (whole, budget) => {
    fc.pre(whole.length > budget);
    const { head, tail, shown, lines } = cutText(whole, budget);
    expect(whole.startsWith(head)).toBe(true);
    expect(whole.endsWith(tail)).toBe(true);
    expect(head.length + tail.length).toBeLessThanOrEqual(budget);
    expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
    if (shown === undefined) return;
    const all = whole.split("\n");
    if (all.at(-1) === "") all.pop();
    expect(lines).toBe(all.length);
    expect(head).toBe(
      all
        .slice(0, shown.headTo)
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect(tail.replace(/\n$/, "")).toBe(all.slice(shown.tailFrom - 1).join("\n"));
  },
);
