import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../src/changes/text/content-hash.ts";
import { edit, edited, refused, swap } from "../support/edit-calls.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

test.each([
  ["is named", "no.txt", {}],
  ["is answered with the ones that may be meant", "src/setings.ts", { fix: "Did you mean src/settings.ts?" }],
])("reports a missing file %s", async (_, path, details) => {
  const space = await temporaryWorkspace({ "src/settings.ts": "a" });
  const expected = { code: "FILE_NOT_FOUND", receipt: "none", ...details };
  await expect(edit(space, { path, ...swap("a", "b") })).rejects.toMatchObject(expected);
});

test.each([
  ["own/x", "own"],
  ["own/x/y", "own"],
  ["src/deep/own/x", "src/deep/own"],
])("reports %s below a file without suggesting the path itself", async (path, file) => {
  const space = await temporaryWorkspace({ own: "a", "src/deep/own": "a" });
  await expect(edit(space, { path, ...swap("a", "b") })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
    message: `${path} does not exist (${file} is not a folder). Nothing was changed.`,
    fix: "Check the path; it is relative to the workspace root.",
  });
});

const overlapping = [swap("two three", "2 3"), swap("one two", "1 2")];
const halfAPair = { code: "UNSUPPORTED_ENCODING", details: { encoding: "UTF-16 LE" } };
const threePlaces = { code: "EDIT_AMBIGUOUS", details: { count: 3, lines: [1, 3, 5] } };
const otherCount = { code: "EDIT_AMBIGUOUS", details: { count: 2, expectedCount: 3 } };
const secondEdit = { code: "EDIT_NOT_FOUND", details: { editIndex: 1 } };
const [invalid, ambiguous, notFound] = ["EDIT_INVALID", "EDIT_AMBIGUOUS", "EDIT_NOT_FOUND"].map((code) => ({
  code,
}));

test.each([
  ["no text", "x", {}, invalid],
  ["no new text", "x", { oldText: "x" }, { message: expect.stringContaining("newText is missing") }],
  ["an empty old text", "x", swap("", "y"), invalid],
  ["damaged bytes", Buffer.from([0x63, 0xc0, 0xaf, 0x0a]), swap("c\ufffd", "d"), { code: "INVALID_TEXT" }],
  ["a binary file", Buffer.from([0x63, 0x00, 0xff]), swap("c", "d"), { code: "BINARY_FILE" }],
  ["damaged UTF-16", Buffer.from("\ufeffabc\ud83d", "utf16le"), swap("a", "d"), halfAPair],
  ["several places", "x\na\nx\nb\nx\n", swap("x", "y"), threePlaces],
  ["two places in a line", "aXbXa\n", swap("X", ""), ambiguous],
  ["two places that overlap", "aaa\n", swap("aa", "b"), ambiguous],
  ["another count", "x a x\n", swap("x", "y", { replaceAll: true, expectedCount: 3 }), otherCount],
  ["one place of two expected ones", "x a\n", swap("x", "y", { expectedCount: 2 }), ambiguous],
  [
    "overlapping edits",
    "one two three\n",
    { edits: overlapping },
    { ...invalid, details: { edits: [1, 0] } },
  ],
  ["one miss of several", "a\n", { edits: [swap("a", "b"), swap("zzz", "c")] }, secondEdit],
  [
    "the same",
    "a\n",
    { edits: [swap("a", "b"), swap("zzz", "c")] },
    { message: expect.stringContaining("of edit 2") },
  ],
  ["two places across line endings", "a\r\nb\r\na\nb\n", swap("a\nb", "c"), ambiguous],
  ["a byte order mark where none is", "a\n", swap("\ufeff", ""), notFound],
  ["another version", "a\n", swap("a", "b", { ifMatch: "0".repeat(64) }), { code: "FILE_CHANGED" }],
])("rejects and changes nothing: %s", async (_, content, params, error) => {
  expect(await refused(content, params)).toMatchObject(error!);
});

const edits = [swap("a", "b"), swap("b", "c")];
const mixed = "one\r\ntwo\nthree\r\nfour";
const quotes = "\u201cx\u201d";

test.each([
  ["NUL in valid UTF-8, which is text", "a\0b\n", swap("b", "c"), "a\0c\n"],
  ["every place", "x a x\n", swap("x", "yy", { replaceAll: true }), "yy a yy\n"],
  ["as many places as expected", "x a x\n", swap("x", "", { expectedCount: 2 }), " a \n"],
  ["edits that match the original", "a b\n", { edits }, "b c\n"],
  ["whatever their order", "a b\n", { edits: edits.toReversed() }, "b c\n"],
  ["edits as JSON text", "a\n", { edits: JSON.stringify([swap("a", "b")]) as never }, "b\n"],
  ["lines with mixed endings", mixed, swap("one\ntwo\nthree", "1\n2\n3"), "1\r\n2\n3\r\nfour"],
  ["the one with LF", mixed, swap("two", "2\n2b"), "one\r\n2\n2b\nthree\r\nfour"],
  ["one with CRLF", mixed, swap("three", "3\n3b"), "one\r\ntwo\n3\r\n3b\r\nfour"],
  ["the one without", mixed, swap("four", "4\n5"), "one\r\ntwo\nthree\r\n4\r\n5"],
  ["lines that end in CR", "a\rb\rc\r", swap("a\nb", "1\n2\n3"), "1\r2\r3\rc\r"],
  ["LF quoted as CRLF", "a\nb\n", swap("a\r\nb", "1\r\n2"), "1\n2\n"],
  ["line breaks only, in a CRLF file", "a\r\n\r\n\r\nb\r\n", swap("\n\n\n", "\n"), "a\r\nb\r\n"],
  ["behind a byte order mark", "\ufefffirst\n", swap("first", "1st"), "\ufeff1st\n"],
  ["a byte order mark that is quoted", "\ufefffirst\n", swap("\ufefffirst", "\ufeff1st"), "\ufeff1st\n"],
  ["a byte order mark alone, which goes", "\ufeffa\n", swap("\ufeff", ""), "a\n"],
  ["a missing final newline, which stays missing", "a\nlast", swap("last\n", "end\n"), "a\nend"],
  [
    "white space around, which stays",
    "\tfoo();\n\tbar();\n",
    swap("  foo();\n  bar();", "\tbaz();"),
    "\tbaz();\n",
  ],
  ["text without indentation", "\tfoo();\n\tbar();\n", swap("foo();\n  bar();", "baz();"), "\tbaz();\n"],
  ["the exact place of several", `a = "x"\na = ${quotes}\n`, swap('a = "x"', "b"), `b\na = ${quotes}\n`],
])("edits: %s", async (_, content, params, after) => {
  expect((await edited(content, params)).after).toBe(after);
});

test("returns text, diff and hash in the common case", async () => {
  const params = swap('console.log("Hello");', 'console.log("Hello, World!");');
  const { after, result, text } = await edited('a\nconsole.log("Hello");\nb\n', params);
  expect(text).toBe("Successfully edited a.txt");
  expect(after).toBe('a\nconsole.log("Hello, World!");\nb\n');
  const hash = contentHash(Buffer.from(after));
  expect(result.details).toMatchObject({ changed: true, replacements: 1, firstChangedLine: 2, hash });
  expect(result.details.diff).toBe(
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n a\n-console.log("Hello");\n+console.log("Hello, World!");\n b\n',
  );
  expect(result.details.hunks).toEqual([
    { index: 0, oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, pass: "exact", candidates: 1 },
  ]);
});

describe("edits of line endings", () => {
  const all = { replaceAll: true };
  const crlf = "one\r\ntwo\r\n";
  test.each([
    ["CRLF to LF", crlf, swap("\r\n", "\n", all), "one\ntwo\n"],
    ["CR taken away", crlf, swap("\r", "", all), "one\ntwo\n"],
    ["LF to CRLF, where it is not yet", "one\ntwo\r\n", swap("\n", "\r\n", all), crlf],
    ["CR to LF", "one\rtwo\r", swap("\r", "\n", all), "one\ntwo\n"],
    ["of one line, with its text", crlf, swap("two\r\n", "two\n"), "one\r\ntwo\n"],
    ["of one line, with a bare CR", crlf, swap("two\r", "two"), "one\r\ntwo\n"],
    ["a CR on both sides is left alone", crlf, swap("two\r", "2\r"), "one\r\n2\r\n"],
  ])("are applied: %s", async (_, content, params, after) => {
    expect((await edited(content, params)).after).toBe(after);
  });

  test.each([
    ["half of a CRLF", `${crlf}three\r\n`, swap("two\r", "2")],
    ["the only thing between two lines", "one\rtwo\r", swap("\r", "", all)],
    ["what is not there", "one\ntwo\n", swap("\r", "", all)],
  ])("never join lines: %s", async (_, content, params) => {
    const error = { code: "EDIT_NOT_FOUND", details: { cause: "line-endings" } };
    expect(await refused(content, params)).toMatchObject(error);
  });

  test("succeed without a change if they were applied", async () => {
    const { result } = await edited("one\ntwo\n", swap("\r\n", "\n", all));
    expect(result.details.changed).toBe(false);
  });
});

test("finds text with tolerance and reports it", async () => {
  const trailing = await edited("if x:  \n  pass\t\nend\n", swap("if x:\n  pass", "if y:\n  go"));
  expect(trailing.after).toBe("if y:\n  go\t\nend\n");
  expect(trailing.text).toContain("ignoring white space at line ends");
  const other = await edited("x say \u201chi\u201d \u2013 now y\n", swap('say "hi" - now', "done"));
  expect(other.after).toBe("x done y\n");
  expect(other.result.details.hunks[0]?.pass).toBe("punctuation");
});

test("changes nothing if both texts are equal", async () => {
  const { result } = await edited("a\n", swap("a", "a"));
  expect(result.details).toMatchObject({ changed: false, replacements: 0 });
});

test("keeps permissions", async () => {
  const space = await temporaryWorkspace({ "a.sh": "a\n" });
  await chmod(join(space.root, "a.sh"), 0o750);
  await edit(space, { path: "a.sh", ...swap("a", "b") });
  expect((await stat(join(space.root, "a.sh"))).mode & 0o777).toBe(0o750);
});

test("applies edits of two sessions to one file", async () => {
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  const space = await temporaryWorkspace({ "a.txt": numbers.map((n) => `<${n}>\n`).join("") });
  await Promise.all(numbers.map((n) => edit(space, { path: "a.txt", ...swap(`<${n}>`, `[${n}]`) })));
  expect(await space.read("a.txt")).toBe(numbers.map((n) => `[${n}]\n`).join(""));
});
