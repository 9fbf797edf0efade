import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../src/changes/text/content-hash.ts";
import { edit, edited, refused } from "../support/edit-calls.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

test("a missing file is named", async () => {
  const space = await temporaryWorkspace();
  await expect(edit(space, { path: "no.txt", oldText: "a", newText: "b" })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
  });
});

test("a missing file is answered with the ones that may be meant", async () => {
  const space = await temporaryWorkspace({ "src/settings.ts": "a" });
  await expect(edit(space, { path: "src/setings.ts", oldText: "a", newText: "b" })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
    fix: "Did you mean src/settings.ts?",
    receipt: "none",
  });
});

test("a path below a file is answered with that, and never with itself", async () => {
  const space = await temporaryWorkspace({ own: "a", "src/deep/own": "a" });
  for (const [path, file] of [
    ["own/x", "own"],
    ["own/x/y", "own"],
    ["src/deep/own/x", "src/deep/own"],
  ] as const)
    await expect(edit(space, { path, oldText: "a", newText: "b" })).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      message: `${path} does not exist (${file} is not a folder). Nothing was changed.`,
      fix: "Check the path; it is relative to the workspace root.",
    });
});

test("incomplete requests say what is missing", async () => {
  expect(await refused("x", {})).toMatchObject({ code: "EDIT_INVALID" });
  expect((await refused("x", { oldText: "x" }))?.message).toContain("newText is missing");
  expect(await refused("x", { oldText: "", newText: "y" })).toMatchObject({ code: "EDIT_INVALID" });
});

test("unknown encodings and binary files are refused unchanged", async () => {
  expect(await refused(Buffer.from([0x63, 0xc0, 0xaf, 0x0a]), { oldText: "c", newText: "d" })).toMatchObject({
    code: "UNSUPPORTED_ENCODING",
    details: { offset: 1, line: 1 },
  });
  expect(await refused(Buffer.from([0x63, 0x00, 0xff]), { oldText: "c", newText: "d" })).toMatchObject({
    code: "BINARY_FILE",
  });
  const half = Buffer.from("\ufeffabc\ud83d", "utf16le");
  expect(await refused(half, { oldText: "a", newText: "d" })).toMatchObject({
    code: "UNSUPPORTED_ENCODING",
    details: { encoding: "UTF-16 LE" },
  });
});

test("NUL in valid UTF-8 is text", async () => {
  expect((await edited("a\0b\n", { oldText: "b", newText: "c" })).after).toBe("a\0c\n");
});

test("ambiguity is answered with all places", async () => {
  const error = await refused("x\na\nx\nb\nx\n", { oldText: "x", newText: "y" });
  expect(error).toMatchObject({ code: "EDIT_AMBIGUOUS", details: { count: 3, lines: [1, 3, 5] } });
});

test("overlapping occurrences are two places", async () => {
  expect(await refused("aXbXa\n", { oldText: "aXbXa\n".slice(0, 0) || "X", newText: "" })).toMatchObject({
    code: "EDIT_AMBIGUOUS",
  });
  expect(await refused("aaa\n", { oldText: "aa", newText: "b" })).toMatchObject({ code: "EDIT_AMBIGUOUS" });
});

test("replaceAll replaces every place, and expectedCount guards it", async () => {
  expect((await edited("x a x\n", { oldText: "x", newText: "yy", replaceAll: true })).after).toBe(
    "yy a yy\n",
  );
  expect((await edited("x a x\n", { oldText: "x", newText: "", expectedCount: 2 })).after).toBe(" a \n");
  expect(
    await refused("x a x\n", { oldText: "x", newText: "y", replaceAll: true, expectedCount: 3 }),
  ).toMatchObject({
    code: "EDIT_AMBIGUOUS",
    details: { count: 2, expectedCount: 3 },
  });
  expect(await refused("x a\n", { oldText: "x", newText: "y", expectedCount: 2 })).toMatchObject({
    code: "EDIT_AMBIGUOUS",
  });
});

test("overlapping edits are refused by number", async () => {
  const edits = [
    { oldText: "two three", newText: "2 3" },
    { oldText: "one two", newText: "1 2" },
  ];
  expect(await refused("one two three\n", { edits })).toMatchObject({
    code: "EDIT_INVALID",
    details: { edits: [1, 0] },
  });
});

test("edits match the original, whatever their order", async () => {
  const edits = [
    { oldText: "a", newText: "b" },
    { oldText: "b", newText: "c" },
  ];
  expect((await edited("a b\n", { edits })).after).toBe("b c\n");
  expect((await edited("a b\n", { edits: edits.toReversed() })).after).toBe("b c\n");
});

test("edits as JSON text are understood", async () => {
  const edits = JSON.stringify([{ oldText: "a", newText: "b" }]) as never;
  expect((await edited("a\n", { edits })).after).toBe("b\n");
});

test("one miss among several edits changes nothing and is named", async () => {
  const edits = [
    { oldText: "a", newText: "b" },
    { oldText: "zzz", newText: "c" },
  ];
  const error = await refused("a\n", { edits });
  expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { editIndex: 1 } });
  expect(error?.message).toContain("of edit 2");
});

test("the plain case: seeds' text, diff, hash", async () => {
  const { after, result, text } = await edited('a\nconsole.log("Hello");\nb\n', {
    oldText: 'console.log("Hello");',
    newText: 'console.log("Hello, World!");',
  });
  expect(text).toBe("Successfully edited a.txt");
  expect(after).toBe('a\nconsole.log("Hello, World!");\nb\n');
  expect(result.details).toMatchObject({
    changed: true,
    replacements: 1,
    firstChangedLine: 2,
    hash: contentHash(Buffer.from(after)),
  });
  expect(result.details.diff).toBe(
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n a\n-console.log("Hello");\n+console.log("Hello, World!");\n b\n',
  );
  expect(result.details.hunks).toEqual([
    { index: 0, oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, pass: "exact", candidates: 1 },
  ]);
});

test("line endings: found whatever they are, kept line by line", async () => {
  const mixed = "one\r\ntwo\nthree\r\nfour";
  expect((await edited(mixed, { oldText: "one\ntwo\nthree", newText: "1\n2\n3" })).after).toBe(
    "1\r\n2\n3\r\nfour",
  );
  expect((await edited(mixed, { oldText: "two", newText: "2\n2b" })).after).toBe(
    "one\r\n2\n2b\nthree\r\nfour",
  );
  expect((await edited(mixed, { oldText: "three", newText: "3\n3b" })).after).toBe(
    "one\r\ntwo\n3\r\n3b\r\nfour",
  );
  expect((await edited(mixed, { oldText: "four", newText: "4\n5" })).after).toBe(
    "one\r\ntwo\nthree\r\n4\r\n5",
  );
  expect((await edited("a\rb\rc\r", { oldText: "a\nb", newText: "1\n2\n3" })).after).toBe("1\r2\r3\rc\r");
  expect((await edited("a\nb\n", { oldText: "a\r\nb", newText: "1\r\n2" })).after).toBe("1\n2\n");
});

describe("edits of line endings", () => {
  const all = { replaceAll: true };
  test.each([
    ["CRLF to LF", "one\r\ntwo\r\n", { oldText: "\r\n", newText: "\n", ...all }, "one\ntwo\n"],
    ["CR taken away", "one\r\ntwo\r\n", { oldText: "\r", newText: "", ...all }, "one\ntwo\n"],
    [
      "LF to CRLF, where it is not yet",
      "one\ntwo\r\n",
      { oldText: "\n", newText: "\r\n", ...all },
      "one\r\ntwo\r\n",
    ],
    ["CR to LF", "one\rtwo\r", { oldText: "\r", newText: "\n", ...all }, "one\ntwo\n"],
    [
      "of one line, with its text",
      "one\r\ntwo\r\n",
      { oldText: "two\r\n", newText: "two\n" },
      "one\r\ntwo\n",
    ],
    ["of one line, with a bare CR", "one\r\ntwo\r\n", { oldText: "two\r", newText: "two" }, "one\r\ntwo\n"],
    [
      "a CR on both sides is left alone",
      "one\r\ntwo\r\n",
      { oldText: "two\r", newText: "2\r" },
      "one\r\n2\r\n",
    ],
  ])("are made: %s", async (_, content, params, after) => {
    expect((await edited(content, params)).after).toBe(after);
  });

  test.each([
    ["half of a CRLF", "one\r\ntwo\r\nthree\r\n", { oldText: "two\r", newText: "2" }],
    ["the only thing between two lines", "one\rtwo\r", { oldText: "\r", newText: "", ...all }],
    ["what is not there", "one\ntwo\n", { oldText: "\r", newText: "", ...all }],
  ])("never join lines: %s is refused", async (_, content, params) => {
    expect(await refused(content, params)).toMatchObject({
      code: "EDIT_NOT_FOUND",
      details: { cause: "line-endings" },
    });
  });

  test("are success without change when they were made", async () => {
    const { result } = await edited("one\ntwo\n", { oldText: "\r\n", newText: "\n", ...all });
    expect(result.details.changed).toBe(false);
  });
});

test("ambiguous across line endings stays ambiguous", async () => {
  expect(await refused("a\r\nb\r\na\nb\n", { oldText: "a\nb", newText: "c" })).toMatchObject({
    code: "EDIT_AMBIGUOUS",
  });
});

test("text of line breaks only is found in CRLF files", async () => {
  expect((await edited("a\r\n\r\n\r\nb\r\n", { oldText: "\n\n\n", newText: "\n" })).after).toBe("a\r\nb\r\n");
});

test("byte order mark: invisible and kept", async () => {
  expect((await edited("\ufefffirst\n", { oldText: "first", newText: "1st" })).after).toBe("\ufeff1st\n");
  expect((await edited("\ufefffirst\n", { oldText: "\ufefffirst", newText: "\ufeff1st" })).after).toBe(
    "\ufeff1st\n",
  );
});

test("byte order mark: taken away when nothing else is quoted", async () => {
  expect((await edited("\ufeffa\n", { oldText: "\ufeff", newText: "" })).after).toBe("a\n");
  expect(await refused("a\n", { oldText: "\ufeff", newText: "" })).toMatchObject({ code: "EDIT_NOT_FOUND" });
});

test("a missing final newline stays missing", async () => {
  expect((await edited("a\nlast", { oldText: "last\n", newText: "end\n" })).after).toBe("a\nend");
});

test("tolerant passes find, and leave what is around alone", async () => {
  const trailing = await edited("if x:  \n  pass\t\nend\n", {
    oldText: "if x:\n  pass",
    newText: "if y:\n  go",
  });
  expect(trailing.after).toBe("if y:\n  go\t\nend\n");
  expect(trailing.text).toContain("ignoring white space at line ends");
  const surrounding = await edited("\tfoo();\n\tbar();\n", {
    oldText: "  foo();\n  bar();",
    newText: "\tbaz();",
  });
  expect(surrounding.after).toBe("\tbaz();\n");
  const unindented = await edited("\tfoo();\n\tbar();\n", { oldText: "foo();\n  bar();", newText: "baz();" });
  expect(unindented.after).toBe("\tbaz();\n");
  const quotes = await edited("x say \u201chi\u201d \u2013 now y\n", {
    oldText: 'say "hi" - now',
    newText: "done",
  });
  expect(quotes.after).toBe("x done y\n");
  expect(quotes.result.details.hunks[0]?.pass).toBe("punctuation");
});

test("an exact place wins over tolerant ones", async () => {
  expect((await edited('a = "x"\na = \u201cx\u201d\n', { oldText: 'a = "x"', newText: "b" })).after).toBe(
    "b\na = \u201cx\u201d\n",
  );
});

test("equal texts change nothing", async () => {
  const { result } = await edited("a\n", { oldText: "a", newText: "a" });
  expect(result.details).toMatchObject({ changed: false, replacements: 0 });
});

test("ifMatch guards the edit", async () => {
  expect(await refused("a\n", { oldText: "a", newText: "b", ifMatch: "0".repeat(64) })).toMatchObject({
    code: "FILE_CHANGED",
  });
});

test("permissions stay", async () => {
  const space = await temporaryWorkspace({ "a.sh": "a\n" });
  await chmod(join(space.root, "a.sh"), 0o750);
  await edit(space, { path: "a.sh", oldText: "a", newText: "b" });
  expect((await stat(join(space.root, "a.sh"))).mode & 0o777).toBe(0o750);
});

test("two sessions editing one file both succeed", async () => {
  const space = await temporaryWorkspace({
    "a.txt": Array.from({ length: 50 }, (_, n) => `<${n}>\n`).join(""),
  });
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      edit(space, { path: "a.txt", oldText: `<${n}>`, newText: `[${n}]` }),
    ),
  );
  expect(await space.read("a.txt")).toBe(Array.from({ length: 50 }, (_, n) => `[${n}]\n`).join(""));
});
