import { describe, expect, test } from "vitest";
import { applyPatchHunks, findPatchConflict, locatePatchHunks } from "./locate-hunks.ts";

describe("the comparison of lines", () => {
  test.each([
    ["first hunk without header", "a\nb\n", "-a\n+A", "A\nb\n"],
    ["exact wins over trimmed", " a\na\n", "@@\n-a\n+A", " a\nA\n"],
    ["white space at line ends", "a  \nb\n", "@@\n a\n-b\n+B", "a  \nB\n"],
    ["white space around", "  a\n\tb\n", "@@\n a\n-b\n+B", "  a\nB\n"],
    [
      "punctuation",
      "say \u201chi\u201d \u2013 it\u2019s\u00a0me\nb\n",
      '@@\n say "hi" - it\'s me\n-b\n+B',
      "say \u201chi\u201d \u2013 it\u2019s\u00a0me\nB\n",
    ],
    ["an empty line is empty context", "a\n\nb\n", "@@\n a\n\n-b\n+B", "a\n\nB\n"],
    ["a spare empty line at the end of a hunk", "a\nb\n", "@@\n-a\n+A\n\n@@\n-b\n+B\n\n\n", "A\nB\n"],
    ["a real empty line at the end of a hunk", "a\n\nb\na\nb\n", "@@\n-a\n+A\n\n", "A\n\nb\na\nb\n"],
    ["removals and additions interleaved", "a\nb\nc\n", "@@\n-a\n+A\n-b\n c\n+d", "A\nc\nd\n"],
    ["several hunks from top to bottom", "1\n2\n3\n4\n", "@@\n-1\n+one\n@@\n-4\n+four", "one\n2\n3\nfour\n"],
    [
      "no newline marker of git",
      "a",
      "@@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file",
      "b",
    ],
    ["a blank line below the end of the file", "a\nb\n", "@@\n-b\n+B\n*** End of File\n ", "a\nB\n"],
    ["only context changes nothing", "a\nb\n", "@@\n a\n b", "a\nb\n"],
    [
      "an indented header inside an update is context",
      "a\n*** Update File: x\nb\n",
      "@@\n a\n *** Update File: x\n-b\n+c",
      "a\n*** Update File: x\nc\n",
    ],
    [
      "an indented End marker inside an update is context",
      "a\n*** End Patch\nb\n",
      "@@\n a\n *** End Patch\n-b\n+c",
      "a\n*** End Patch\nc\n",
    ],
  ])("matches %s", (_, content, hunks, expected) => {
    expect(applyPatchHunks(content, hunks)).toBe(expected);
  });

  test("reports the pass and the number of candidates", () => {
    const [loose] = locatePatchHunks("a \nb\n", "@@\n-a\n+A").placements;
    expect(loose).toMatchObject({ pass: "trailing-space", candidates: 1 });
    const [exact] = locatePatchHunks("x\na\ny\na\n", "@@ y\n-a\n+A").placements;
    expect(exact).toMatchObject({ pass: "exact", start: 3, candidates: 1 });
  });
});

describe("anchors", () => {
  const twice = "class A\n  run\n    x\nclass B\n  run\n    x\n";
  const inB = "class A\n  run\n    x\nclass B\n  run\n    y\n";
  test.each([
    ["below the anchor", twice, "@@ class B\n-    x\n+    y", inB],
    ["anchor tolerances", twice, "@@   class B  \n-    x\n+    y", inB],
    ["two anchors", twice, "@@ class B\n@@ run\n-    x\n+    y", inB],
    ["anchor repeated as context", twice, "@@ class B\n class B\n   run\n-    x\n+    y", inB],
    ["closing @@", twice, "@@ class B @@\n-    x\n+    y", inB],
    ["insertion below the anchor", "a\nb\n", "@@ a\n+x\n+y", "a\nx\ny\nb\n"],
    ["insertion below the last line", "a\nb\n", "@@ b\n+x", "a\nb\nx\n"],
    ["two insertions below one anchor", "a\nb\n", "@@ a\n+x\n@@ a\n+y", "a\nx\ny\nb\n"],
    [
      "an anchor above the previous hunk",
      "class A\n1\n2\n3\n",
      "@@ class A\n-1\n+one\n@@ class A\n-3\n+three",
      "class A\none\n2\nthree\n",
    ],
    ["insertion without anchor at the end", "a\nb\n", "@@\n+x", "a\nb\nx\n"],
    ["an insertion at the end does not move on", "a\nb\n", "@@\n+x\n@@\n-a\n+A", "A\nb\nx\n"],
    ["an empty line added at the end of an unterminated file", "a", "@@\n+", "a\n"],
  ])("locate a hunk: %s", (_, content, hunks, expected) => {
    expect(applyPatchHunks(content, hunks)).toBe(expected);
  });

  const places = [{ line: 2 }, { line: 4 }];
  test.each([
    ["missing", "a\nb\n", "@@ nowhere\n-a\n+A", { code: "ANCHOR_NOT_FOUND" }],
    ["that leaves two places", "f\nx\nf\nx\n", "@@ f\n-x\n+y", { code: "HUNK_AMBIGUOUS", places }],
    ["that leaves two for an insertion", "f\n1\nf\n2\n", "@@ f\n+y", { code: "HUNK_AMBIGUOUS" }],
  ])("conflict if the anchor is %s", (_, content, hunks, expected) => {
    expect(findPatchConflict(content, hunks)).toMatchObject(expected);
  });
});

describe("numbered headers", () => {
  const many = "x\n1\nx\n2\nx\n3\nx\n4\n";
  test.each([
    ["the line itself decides", many, "@@ -5,1 +5,1 @@\n-x\n+y", "x\n1\nx\n2\ny\n3\nx\n4\n"],
    ["wrong numbers do no harm", "a\nb\n", "@@ -70,2 +70,2 @@\n a\n-b\n+B", "a\nB\n"],
    [
      "the drift of the hunk before is followed",
      `0\n0\n${many}`,
      "@@ -1,2 +1,2 @@\n x\n-1\n+one\n@@ -5,1 +5,1 @@\n-x\n+y",
      "0\n0\nx\none\nx\n2\ny\n3\nx\n4\n",
    ],
    [
      "the heading decides",
      "def a\n  x\ndef b\n  x\n",
      "@@ -9,1 +9,1 @@ def b\n-  x\n+  y",
      "def a\n  x\ndef b\n  y\n",
    ],
    [
      "within what the heading opens, the line itself decides",
      "def a\n  x\n  y\n  x\n  z\n",
      "@@ -4,1 +4,1 @@ def a\n-  x\n+  X",
      "def a\n  x\n  y\n  X\n  z\n",
    ],
    [
      "a heading that has ended speaks for nothing",
      "def a\n  z\nif b\n  x\n  x\n",
      "@@ -5,1 +5,1 @@ def a\n-  x\n+  X",
      "def a\n  z\nif b\n  x\n  X\n",
    ],
    ["an insertion at a line", "a\nb\n", "@@ -1,0 +2,1 @@\n+x", "a\nx\nb\n"],
    ["an insertion at the top", "a\nb\n", "@@ -0,0 +1,1 @@\n+x", "x\na\nb\n"],
    [
      "a file that has the header as a line",
      "-1,2 +1,2 @@\na\nz\na\n",
      "@@ -1,2 +1,2 @@\n+new",
      "-1,2 +1,2 @@\nnew\na\nz\na\n",
    ],
  ])("locate a hunk: %s", (_, content, hunks, expected) => {
    expect(applyPatchHunks(content, hunks)).toBe(expected);
  });

  test.each([
    ["HUNK_AMBIGUOUS", "halfway between two places", many, "@@ -4,1 +4,1 @@\n-x\n+y"],
    [
      "HUNK_AMBIGUOUS",
      "at a line that is another function's than the heading's",
      "def a\n  x\ndef b\n  x\n",
      "@@ -4,1 +4,1 @@ def a\n-  x\n+  y",
    ],
    ["HUNK_WITHOUT_CONTEXT", "added lines, though old ones are announced", "a\nb\n", "@@ -1,3 +1,4 @@\n+x"],
    ["HUNK_WITHOUT_CONTEXT", "added lines below the end", "a\nb\n", "@@ -9,0 +9,1 @@\n+x"],
  ])("do not decide, but give %s: %s", (code, _, content, hunks) => {
    expect(findPatchConflict(content, hunks)).toMatchObject({ code });
  });

  test("reject insertions that are announced above the previous hunk", () => {
    const found = findPatchConflict("a\nb\nc\n", "@@\n-c\n+C\n@@ -1,0 +2,1 @@\n+x");
    expect(found).toMatchObject({ code: "HUNK_NOT_FOUND", cause: "out-of-order" });
    expect(found.problem).toContain("its line numbers put it at line 2, above hunk 1, which is at line 3");
  });
});

describe("ambiguous hunks", () => {
  const places = [
    { line: 2, anchor: "fn one" },
    { line: 4, anchor: "fn two" },
  ];
  const [ambiguous, notFound] = [{ code: "HUNK_AMBIGUOUS" }, { code: "HUNK_NOT_FOUND" }];
  test.each([
    ["with all places", "fn one\n  x\nfn two\n  x\n", "@@\n-  x\n+  y", { ...ambiguous, places }],
    ["for fewer equal hunks than places", "x\n1\nx\nx\n", "@@\n-x\n+a\n@@\n-x\n+b", ambiguous],
    [
      "where the end of the file decides, and only the end",
      "x\n1\n",
      "@@\n-x\n+y\n*** End of File",
      notFound,
    ],
    [
      "for a place above the last hunk",
      "a\nb\nc\n",
      "@@\n-c\n+C\n@@\n-a\n+A",
      { ...notFound, cause: "out-of-order" },
    ],
  ])("are rejected %s", (_, content, hunks, expected) => {
    expect(findPatchConflict(content, hunks)).toMatchObject(expected);
  });

  test.each([
    ["as many equal hunks as places take them in turn", "x\n1\nx\n", "@@\n-x\n+a\n@@\n-x\n+b", "a\n1\nb\n"],
    ["the end of the file decides", "x\n1\nx\n", "@@\n-x\n+y\n*** End of File", "x\n1\ny\n"],
    ["and says where to add", "a\nb\n", "@@\n+x\n*** End of File", "a\nb\nx\n"],
  ])("are located if %s", (_, content, hunks, expected) => {
    expect(applyPatchHunks(content, hunks)).toBe(expected);
  });
});

describe("hunks that were already applied", () => {
  const one = "the first of all the lines";
  test.each([
    ["a replacement", "new line\nb\n", "@@\n-old line\n+new line\n b"],
    ["an insertion between two lines", "a\nnew line\nb\n", "@@\n a\n+new line\n b"],
    ["a removal between two lines", "first\nlast\n", "@@\n first\n-middle\n last"],
    ["a line that may be there by chance, and its neighbours", "x\n2\n", "@@\n-1\n+x\n 2"],
  ])("are detected: %s", (_, content, hunks) => {
    expect(locatePatchHunks(content, hunks).placements).toMatchObject([{ kind: "applied" }]);
  });

  test.each([
    ["too little to prove anything", "}\nb\n", "@@\n-old\n+}"],
    ["a removal without neighbours", "a\n", "@@\n-gone\n a"],
    ["new lines alone, however many", `${one}\ntwo\n`, `@@\n-one\n+${one}`],
    ["a line that may be there by chance", "x = 1\nb\n", "@@\n-gone\n+x = 1"],
  ])("are not assumed for %s", (_, content, hunks) => {
    expect(findPatchConflict(content, hunks)).toMatchObject({ code: "HUNK_NOT_FOUND" });
  });

  test("are not assumed if neighbours occur twice", () => {
    expect(locatePatchHunks("x\n2\nx\n2\n", "@@\n-1\n+x\n 2").placements).toMatchObject([
      { kind: "conflict" },
    ]);
  });

  test("are detected individually, so that the plan rejects half of a patch", () => {
    const { placements } = locatePatchHunks(`${one}\nb\ntwo\n`, `@@\n-one\n+${one}\n b\n@@\n-two\n+TWO!`);
    expect(placements).toMatchObject([{ kind: "applied" }, { kind: "located" }]);
  });
});

describe("line endings and the end of the file", () => {
  test.each([
    ["each replaced line keeps its own", "a\r\nb\nc\r\n", "@@\n-a\n-b\n+A\n+B", "A\r\nB\nc\r\n"],
    ["more lines than replaced: as the next line", "a\r\nb\n", "@@\n-a\n+A\n+x", "A\r\nx\nb\n"],
    [
      "an inserted line: as the line it comes before",
      "a\r\nb\nc\r\n",
      "@@\n a\n+x\n b\n c",
      "a\r\nx\nb\nc\r\n",
    ],
    ["carriage returns of the patch are dropped", "a\r\nb\n", "@@\r\n-b\r\n+B\r", "a\r\nB\n"],
    ["lone carriage returns end lines", "a\rb\rc\r", "@@\n a\n-b\n+B\n+x", "a\rB\rx\rc\r"],
    ["byte order mark", "\ufeffa\nb\n", "@@\n-a\n+A", "\ufeffA\nb\n"],
    ["byte order mark, last line", "\ufeffa", "@@\n-a\n+A\n+B", "\ufeffA\nB"],
    ["missing final newline: replaced", "a\nb", "@@\n-b\n+B", "a\nB"],
    ["missing final newline: appended", "a\nb", "@@\n b\n+c", "a\nb\nc"],
    ["missing final newline: appended, CRLF", "a\r\nb", "@@\n b\n+c\n+d", "a\r\nb\r\nc\r\nd"],
    ["missing final newline: last line removed", "a\nb", "@@\n a\n-b", "a"],
    ["missing final newline: all removed", "a\nb", "@@\n-a\n-b", ""],
    ["missing final newline: line before replaced, last removed", "a\nb\nc", "@@\n-b\n+B\n@@\n-c", "a\nB"],
    ["missing final newline: untouched", "a\nb\nc", "@@\n-a\n+A", "A\nb\nc"],
    ["final newline stays", "a\nb\n", "@@\n-b\n+B", "a\nB\n"],
    ["an empty file gets a final newline", "", "@@\n+a\n+b", "a\nb\n"],
    ["mixed, at the end without newline", "a\nb\r\nc", "@@\n-c\n+C\n+d", "a\nb\r\nC\r\nd"],
  ])("are handled: %s", (_, content, hunks, expected) => {
    expect(applyPatchHunks(content, hunks)).toBe(expected);
  });
});
