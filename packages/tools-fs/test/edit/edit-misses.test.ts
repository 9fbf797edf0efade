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
])("a miss names its likely cause: %s", async (cause, content, oldText) => {
  const error = await refused(content, { oldText, newText: "something else" });
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause } });
});

test("a miss shows the nearest text with its lines", async () => {
  const content = Array.from({ length: 100 }, (_, index) => `line number ${index + 1} here\n`).join("");
  const error = await refused(content, { oldText: "line number 50 here\nline number 51 hre", newText: "x" });
  expect(error?.message).toContain("lines 50-51:\nline number 50 here\nline number 51 here");
});

test("the same edit again is success without change", async () => {
  const space = await temporaryWorkspace({ "a.txt": "const total = 1;\n" });
  const params = { path: "a.txt", oldText: "const total = 1;", newText: "const sum = 1;" };
  await edit(space, params);
  const again = await edit(space, params);
  expect(again).toMatchObject({ receipt: "none", details: { changed: false } });
  const text = expect.stringContaining("newText already is, at line 1");
  expect(again.content[0]).toMatchObject({ text });
});

test("so is the same replacement of every place", async () => {
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
])("a new text found only by chance proves nothing: %s", async (_, content, oldText, newText) => {
  expect(await refused(content, { oldText, newText })).toMatchObject({ code: "EDIT_NOT_FOUND" });
});

test("a place that lines of both texts name proves that the edit was made, whoever made it", async () => {
  const params = swap("  const sum = compute(a, b);\nb", "  const total = compute(a, b);\nb");
  const { result, after } = await edited("a\n  const total = compute(a, b);\nb\n", params);
  expect(result.details).toMatchObject({ changed: false, hunks: [{ alreadyApplied: true, newStart: 2 }] });
  expect(after).toContain("total");
});

test("a miss says that the new text may be there only if it is, and is more than a word", async () => {
  const content = "const sum = add(a);\nother\n";
  const there = await refused(content, swap("zzzzzz qqqqqq", "sum = add(a)"));
  expect(there).toMatchObject({ details: { cause: "already-applied" } });
  const word = await refused(content, swap("zzzzzz qqqqqq", "sum"));
  expect(word).toMatchObject({ details: { cause: "not-in-file" } });
});

const CONNECT =
  "connect() {\n  timeoutMilliseconds = 5000;\n}\nretry() {\n  timeoutMilliseconds = 2500;\n}\n";
const WRONG = { oldText: "timeoutMilliseconds = 3000;", newText: "timeoutMilliseconds = 5000;" };

test("a wrong old text is an error, wherever the new one stands", async () => {
  const error = await refused(CONNECT, WRONG);
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause: "already-applied" } });
  expect(error?.message).toContain("newText stands at line 2");
});

test("lines that both texts have, and that stand once, say where it was made", async () => {
  const made = CONNECT.replace("2500", "7500");
  const [old, changed] = [2500, 7500].map((value) => `retry() {\n  timeoutMilliseconds = ${value};`);
  const { result } = await edited(made, swap(old!, changed!));
  expect(result.details).toMatchObject({ changed: false, hunks: [{ alreadyApplied: true }] });
  const error = await refused(made.replace("connect", "retry"), swap(old!, changed!));
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND" });
});

test("an edit that was made before is not passed over beside one that changes something", async () => {
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
