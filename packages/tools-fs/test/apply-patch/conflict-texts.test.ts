import { describe, expect, test } from "vitest";
import { applyPatchHunks, findPatchConflict } from "./locate-hunks.ts";

describe("the message of a conflict", () => {
  const content = Array.from({ length: 40 }, (_, index) => `  call${index + 1}(argument);\n`).join("");

  test("contains the nearest lines, the cause, and a corrected hunk", () => {
    const found = findPatchConflict(
      content,
      "@@\n   call10(argument);\n-  call11(argumnt);\n+  call11(other);\n   call12(argument);",
    );
    expect(found).toMatchObject({ code: "HUNK_NOT_FOUND", cause: "stale", hunk: 0, patchLine: 3 });
    expect(found.nearest?.[0]).toMatchObject({ startLine: 10, endLine: 12 });
    expect(applyPatchHunks(content, found.suggestion as string)).toContain(
      "call10(argument);\n  call11(other);\n  call12",
    );
  });

  test.each([
    ["line-numbers", "@@\n-1\tcall1\n-2\tcall2"],
    ["white-space", "@@\n-call3( argument );\n+x"],
    ["letter-case", "@@\n-CALL3(argument);\n+x"],
    ["not-in-file", "@@\n-zzzzzzzzzz\n+x"],
  ])("names the cause: %s", (cause, hunks) => {
    const file = cause === "line-numbers" ? "call1\ncall2\n" : content;
    expect(findPatchConflict(file, hunks)).toMatchObject({ cause });
  });

  test("stays small for huge hunks and files", () => {
    const huge = Array.from(
      { length: 3000 },
      (_, index) => `-missing line number ${index} ${"x".repeat(200)}`,
    ).join("\n");
    const found = findPatchConflict(content.repeat(2000), `@@\n${huge}`);
    expect(JSON.stringify(found).length).toBeLessThan(10_000);
  });
});
