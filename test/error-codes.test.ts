import { describe, expect, test } from "vitest";
import { findErrorCodes } from "../scripts/lib/error-codes.ts";
import { formatErrorTable, mergeErrorTable, parseErrorTable } from "../scripts/lib/error-table.ts";

describe("findErrorCodes", () => {
  test("reads code, category, message and fix where the error is made", () => {
    const source = [
      "export const failed = () =>",
      '  new HaftError("DISK_FULL", `No room for ${name ? `"${name}"` : "it"}.`, {',
      '    category: "operational",',
      '    fix: "Free some space.",',
      "  });",
    ];
    expect(findErrorCodes(source.join("\n"))[0]).toEqual({
      code: "DISK_FULL",
      line: 2,
      category: "operational",
      message: "No room for ….",
      fix: "Free some space.",
    });
  });

  test("reads a table of errors", () => {
    const source =
      'const failures = { DISK_FULL: { category: "operational", why: "no room", fix: "Free some." } };';
    expect(findErrorCodes(source)).toEqual([
      { code: "DISK_FULL", line: 1, category: "operational", message: "no room", fix: "Free some." },
    ]);
  });

  test.each([
    ["a value named code", 'const outcome = { kind: "error", code: "INTERRUPTED" };'],
    ["an outcome builder", 'cancelled(call, "INTERRUPTED", reason);'],
  ])("finds a single word as %s", (_, source) => {
    expect(findErrorCodes(source).map(({ code }) => code)).toEqual(["INTERRUPTED"]);
  });

  test.each([
    ["comments", '// new HaftError("NOT_REAL")\n/* code: "NOT_REAL" */'],
    ["regular expressions with quotes", "const quote = /[\"'`]NOT_REAL/;"],
    [
      "names of the system",
      'if (error.code === "ENOENT") kill("SIGTERM", process.env["NO_COLOR"], "ERR_INVALID_ARG");',
    ],
    ["single words elsewhere", 'const method = "POST";'],
  ])("is not misled by %s", (_, source) => {
    expect(findErrorCodes(source)).toEqual([]);
  });
});

describe("the table of errors", () => {
  const rows = [{ code: "B_CODE", category: "input", meaning: "Either a | b.", fix: "Do this." }];

  test("reads back what it wrote", () => {
    expect(parseErrorTable(formatErrorTable(rows))).toEqual(rows);
  });

  test("keeps what people wrote, follows the code's category, drops what is gone", () => {
    const mentions = [
      { code: "B_CODE", line: 1, category: "policy", message: "From code.", fix: "From code." },
    ];
    const old = [...rows, { code: "GONE", category: "input", meaning: "x", fix: "y" }];
    expect(mergeErrorTable(mentions, old)).toEqual([
      { code: "B_CODE", category: "policy", meaning: "Either a | b.", fix: "Do this." },
    ]);
  });
});
