import { describe, expect, it } from "vitest";
import { normaliseText } from "../../src/replay/normalise.ts";

describe("normalising texts of different runs", () => {
  it.for([
    ["2026-11-23T21:03:11.123Z done", "2026-11-24 09:00 done"],
    ["Mon Nov 23 22:22:23 UTC 2026", "Tue Nov 24 01:02:03 UTC 2026"],
    ["12 passed in 1.24s", "12 passed in 980 ms"],
    ["ℹ duration_ms 52.899328", "ℹ duration_ms 88.1"],
    ["pid 4711 ended", "pid 12 ended"],
    ["at 0x7ffe12ab34cd", "at 0x7ffd00aa11ee"],
    ["in /tmp/haft-Xy12ab/a.txt", "in /tmp/haft-Qq98zz/a.txt"],
    ["id 550e8400-e29b-41d4-a716-446655440000", "id 650e8400-e29b-41d4-a716-446655440001"],
    ["two lines\r\nof text\r\n\r\n", "two lines\nof text"],
  ] as const)("is equal to the text of another run: %s", ([then, now]) =>
    expect(normaliseText(now)).toBe(normaliseText(then)),
  );

  it.for([
    ["12 passed", "11 passed"],
    ["exit code 1", "exit code 2"],
    ["[main 1a2b3c4] fix", "[main 5d6e7f8] fix"],
    ["/tmp/report.txt", "/tmp/reports/a"],
    ["1.2.3", "1.2.4"],
    ["line 10", "line 11"],
  ] as const)("keeps other differences: %s", ([then, now]) =>
    expect(normaliseText(now)).not.toBe(normaliseText(then)),
  );

  it("replaces a current name by the recorded name", () => {
    expect(
      normaliseText("http://localhost:8081/ by calm-river", [
        [":8080", ":8081"],
        ["bold-shore", "calm-river"],
      ]),
    ).toBe("http://localhost:8080/ by bold-shore");
  });
});
