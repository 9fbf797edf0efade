import { expect, test } from "vitest";
import { edit, edited, refused, swap } from "../support/edit-calls.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

test.each([
  ["line-numbers", "alpha\nbeta\n", "1 | alpha\n2 | beta"],
  ["line-numbers", "alpha\nbeta\n", "    1\talpha\n    2\tbeta"],
  ["escapes", 'say("hi");\nnext();\n', 'say(\\"hi\\");\\nnext();'],
  ["white-space", "const a  =  1;\n", "const a = 1;"],
  ["quotes", "const a = 'text';\n", 'const a = "text";'],
  ["letter-case", "Const Value = 1;\n", "const value = 1;"],
  ["stale", "function a() {\n  return 2;\n}\n", "function a() {\n  return 1;\n}"],
  ["not-in-file", "alpha\n", "zzzzzz qqqqq"],
])("names the likely cause of a miss: %s", async (cause, content, oldText) => {
  const error = await refused(content, { oldText, newText: "something else" });
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause } });
});

test("shows the nearest text with its lines", async () => {
  const content = Array.from({ length: 100 }, (_, index) => `line number ${index + 1} here\n`).join("");
  const error = await refused(content, { oldText: "line number 50 here\nline number 51 hre", newText: "x" });
  expect(error?.message).toContain("lines 50-51:\nline number 50 here\nline number 51 here");
});

test("succeeds without a change if an edit is repeated", async () => {
  const space = await temporaryWorkspace({ "a.txt": "const total = 1;\n" });
  const params = { path: "a.txt", oldText: "const total = 1;", newText: "const sum = 1;" };
  await edit(space, params);
  const again = await edit(space, params);
  expect(again).toMatchObject({ receipt: "none", details: { changed: false } });
  const text = expect.stringContaining("newText already is, at line 1");
  expect(again.content[0]).toMatchObject({ text });
});

test("succeeds without a change if a replacement of all matches is repeated", async () => {
  const space = await temporaryWorkspace({ "a.txt": "one, one\n" });
  const params = { path: "a.txt", oldText: "one", newText: "eins", expectedCount: 2 };
  await edit(space, params);
  expect((await edit(space, params)).details.changed).toBe(false);
  const error = edit(space, { ...params, expectedCount: 3 });
  await expect(error).rejects.toMatchObject({ code: "EDIT_NOT_FOUND" });
});

test.each([
  ["a word", "x = 1\ny = 2\n", "stale = 5", "x = 1"],
  ["a brace", "function a() {\n  foo();\n}\n", "  bar();\n}", "}"],
  [
    "what is left of the old text",
    "import os\nimport sys\nprint(1)\n",
    "import sys\nimport json",
    "import sys",
  ],
  ["a common line", "a\nreturn None\nb\n", "return y", "return None"],
  ["a piece of a longer line", "x = compute_the_whole_total(a, b)\n", "gone", "compute_the_whole_total(a"],
  [
    "enough of it, but nothing that names the place",
    "const total = compute(a, b);\n",
    "gone",
    "const total = compute(a, b);",
  ],
  ["blank lines alone, not found tolerantly", "a\n  \nb\n \nc\n", "\n\n\n", "x"],
  ["one of several", "const total = compute(a, b);\n".repeat(2), "gone", "const total = compute(a, b);"],
])("does not accept an accidental match of the new text: %s", async (_, content, oldText, newText) => {
  expect(await refused(content, { oldText, newText })).toMatchObject({ code: "EDIT_NOT_FOUND" });
});

test("accepts an edit as applied if unique common lines identify the location", async () => {
  const params = swap("  const sum = compute(a, b);\nb", "  const total = compute(a, b);\nb");
  const { result, after } = await edited("a\n  const total = compute(a, b);\nb\n", params);
  expect(result.details).toMatchObject({ changed: false, hunks: [{ alreadyApplied: true, newStart: 2 }] });
  expect(after).toContain("total");
});

test("mentions existing new text only if it is longer than a word", async () => {
  const content = "const sum = add(a);\nother\n";
  const there = await refused(content, swap("zzzzzz qqqqqq", "sum = add(a)"));
  expect(there).toMatchObject({ details: { cause: "already-applied" } });
  const word = await refused(content, swap("zzzzzz qqqqqq", "sum"));
  expect(word).toMatchObject({ details: { cause: "not-in-file" } });
});

const CONNECT =
  "connect() {\n  timeoutMilliseconds = 5000;\n}\nretry() {\n  timeoutMilliseconds = 2500;\n}\n";
const WRONG = { oldText: "timeoutMilliseconds = 3000;", newText: "timeoutMilliseconds = 5000;" };

test("rejects a wrong old text, regardless of the new text", async () => {
  const error = await refused(CONNECT, WRONG);
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause: "already-applied" } });
  expect(error?.message).toContain("newText is at line 2");
});

test("reports the location that unique common lines identify", async () => {
  const made = CONNECT.replace("2500", "7500");
  const [old, changed] = [2500, 7500].map((value) => `retry() {\n  timeoutMilliseconds = ${value};`);
  const { result } = await edited(made, swap(old!, changed!));
  expect(result.details).toMatchObject({ changed: false, hunks: [{ alreadyApplied: true }] });
  const error = await refused(made.replace("connect", "retry"), swap(old!, changed!));
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND" });
});

test("rejects an applied edit together with an edit that would change the file", async () => {
  const space = await temporaryWorkspace({ "a.txt": "const total = 1;\nother\n" });
  const first = { oldText: "const total = 1;", newText: "const sum = 1;" };
  await edit(space, { path: "a.txt", ...first });
  const both = edit(space, { path: "a.txt", edits: [first, { oldText: "other", newText: "another" }] });
  await expect(both).rejects.toMatchObject({
    code: "EDIT_NOT_FOUND",
    message: expect.stringContaining("oldText of edit 1") as string,
    details: { editIndex: 0, cause: "already-applied" },
  });
  expect((await edit(space, { path: "a.txt", edits: [first] })).details.changed).toBe(false);
});
