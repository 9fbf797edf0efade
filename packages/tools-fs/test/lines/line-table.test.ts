import { describe, expect, test } from "vitest";
import { buildLineTable, lineText } from "../../src/changes/text/line-table.ts";

/** What is looked at in one piece. */
const PART = 512 * 1024;

describe("lines of more than one piece", () => {
  test.each([
    ["\n", ""],
    ["\r\n", ""],
    ["\r", ""],
    ["\n", "\uFEFF"],
    ["\r\n", "\uFEFF"],
  ])("are found if they end with %j after %j", (ending, mark) => {
    // An ending before, at, and behind the border of the first piece: of two bytes one in each.
    for (const shift of [-2, -1, 0, 1]) {
      const first = "x".repeat(PART - Buffer.byteLength(mark) + shift);
      const lines = [first, "", "y".repeat(PART), "é", "last"];
      const table = buildLineTable(Buffer.from(mark + lines.join(ending)));
      expect(table.count).toBe(lines.length);
      expect(lines.findIndex((line, at) => lineText(table, at) !== line)).toBe(-1);
      expect(table.starts[table.count]).toBe(table.bytes.length);
    }
  });

  test("are found if they are empty", () => {
    const table = buildLineTable(Buffer.alloc(3 * PART, "\n"));
    expect(table.count).toBe(3 * PART);
    expect(table.starts[table.count]).toBe(3 * PART);
    for (const at of [0, PART - 1, PART, 3 * PART - 1])
      expect([table.starts[at], table.ends[at]]).toEqual([at, at]);
  });

  test("are found in a file with one unterminated line, and in an empty file", () => {
    const table = buildLineTable(Buffer.alloc(2 * PART, "x"));
    expect([table.count, table.starts[0], table.ends[0], table.starts[1]]).toEqual([
      1,
      0,
      2 * PART,
      2 * PART,
    ]);
    expect(buildLineTable(Buffer.alloc(0)).count).toBe(0);
  });
});
