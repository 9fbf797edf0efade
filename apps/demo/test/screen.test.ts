import { fc, test as property } from "@fast-check/vitest";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { createScreen, truncateToWidth, toPrintable, showDiff, measureWidth, wrap } from "../src/screen.ts";

function record(columns?: number) {
  let shown = "";
  const screen = createScreen((content) => (shown += content), columns);
  return { screen, lines: () => shown.split("\n") };
}

describe("the screen", () => {
  test("prints colours only if requested", () => {
    for (const colors of [true, false]) {
      vi.stubEnv("FORCE_COLOR", colors ? "1" : "0");
      const { screen, lines } = record();
      showDiff(screen, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n");
      expect(lines().join("").includes("\u001b[")).toBe(colors);
      expect(lines().some((line) => line.includes("+new"))).toBe(true);
      expect(lines().some((line) => line.includes("+++"))).toBe(false);
    }
    vi.unstubAllEnvs();
  });

  test("is at most 100 columns wide, and follows a narrow terminal", () => {
    expect(record(300).screen.width).toBe(100);
    expect(record(72).screen.width).toBe(72);
    expect(record().screen.width).toBe(100);
  });

  test("text of a model cannot move the cursor", () => {
    expect(toPrintable("a\u001b[2Jb\u001b]0;title\u0007c\rd\te")).toBe("abc\nd  e");
  });

  property.prop([fc.string({ unit: "grapheme" }), fc.integer({ min: 60, max: 100 })])(
    "prose never leaves its columns",
    (said, columns) => {
      const { screen, lines } = record(columns);
      screen.prose(said, 6);
      for (const line of lines()) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
    },
  );
});

describe("layout", () => {
  property.prop([fc.string(), fc.integer({ min: 1, max: 40 })])("wrapping loses no word", (text, width) => {
    expect(wrap(text, width).join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
  });

  test("columns align with any colours", () => {
    const rows = [
      ["\u001b[1mab\u001b[22m", "x"],
      ["a", "y"],
    ];
    const { screen, lines } = record();
    screen.table(rows);
    expect(lines().map((line) => stripVTControlCharacters(line))).toEqual(["ab  x", "a   y", ""]);
  });

  test("marks truncated text", () => {
    expect(truncateToWidth("abcdef", 4)).toBe("abc…");
    expect(truncateToWidth("🦊🦊", 2)).toBe("🦊🦊");
  });
});
