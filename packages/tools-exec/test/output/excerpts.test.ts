import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { cutMiddle } from "../../src/output/cut-middle.ts";
import { lastLines } from "../../src/output/last-lines.ts";

test("cuts a text between its lines", () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  const { head, tail, omitted } = cutMiddle(text, { head: 60, tail: 60 });
  expect(head).toBe("line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n");
  expect(tail).toBe("line 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99");
  expect(omitted).toBe(text.length - head.length - tail.length);
});

property.prop([fc.string({ unit: "grapheme", maxLength: 200 }), fc.nat(40), fc.nat(40)])(
  "returns start and end, and counts the omitted bytes between them",
  (text, head, tail) => {
    const cut = cutMiddle(text, { head, tail });
    expect(Buffer.byteLength(cut.head) + cut.omitted + Buffer.byteLength(cut.tail)).toBe(
      Buffer.byteLength(text),
    );
    expect(text.startsWith(cut.head) && text.endsWith(cut.tail)).toBe(true);
    expect(cut.head.isWellFormed() && cut.tail.isWellFormed()).toBe(true);
    expect(cut.head.length).toBeLessThanOrEqual(Math.max(head + 1, cut.omitted === 0 ? head + tail : 0));
  },
);

property.prop([
  fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 30 }),
  fc.integer({ min: 1, max: 10 }),
  fc.integer({ min: 8, max: 100 }),
])("returns the last lines within both limits", (lines, mostLines, mostBytes) => {
  const all = lines
    .map((line) => line.replaceAll(/[\r\n]/g, ""))
    .join("\n")
    .trimEnd();
  const { text, omitted } = lastLines(all, mostLines, mostBytes);
  expect(all.endsWith(text)).toBe(true);
  expect(text.split("\n").length).toBeLessThanOrEqual(mostLines);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes);
  expect(Buffer.byteLength(text) + omitted).toBe(Buffer.byteLength(all));
  if (all !== "") expect(text).not.toBe("");
});
