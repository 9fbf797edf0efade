import { describe, expect, test } from "vitest";
import { patched, refused, wrap } from "../support/patch-bench.ts";

describe("a hunk with another indentation than the file", () => {
  test("adds lines with the indentation of the file and reports it", async () => {
    const input = wrap(
      "*** Update File: Makefile",
      "@@",
      "     cc a.c",
      "-    cc b.c",
      "+    cc c.c",
      "+    cc d.c",
    );
    const { tree, text, details } = await patched({ Makefile: "all:\n\tcc a.c\n\tcc b.c\n" }, input);
    expect(tree["Makefile"]).toBe("all:\n\tcc a.c\n\tcc c.c\n\tcc d.c\n");
    expect(text).toContain(
      "ignoring white space at line starts and ends; its new lines got the indentation of the file",
    );
    expect(details.files[0]?.hunks[0]?.indentation).toBe("adopted");
  });

  test("adds lines unchanged next to lines with equal indentation", async () => {
    const hunk = ["@@", " one", "-  two", "+  2", "+      deep", " three", " four"];
    const { tree, text } = await patched(
      { a: "one\n  two\nthree\n\tfour\n" },
      wrap("*** Update File: a", ...hunk),
    );
    expect(tree["a"]).toBe("one\n  2\n      deep\nthree\n\tfour\n");
    expect(text).toMatch(/ignoring white space at line starts and ends\.$/);
  });

  const noMap = ["@@", "     x: 1", "-    y: 2", "+    y: 3"];
  const content = "   x: 1\n  y: 2\n";

  test("adds lines unchanged and reports it if the indentation is unknown", async () => {
    const { tree, text } = await patched({ a: content }, wrap("*** Update File: a", ...noMap));
    expect(tree).toEqual({ a: "   x: 1\n    y: 3\n" });
    expect(text).toContain("is unknown, so they are unchanged");
  });

  test.each(["a.yaml", "lib/a.py", "Makefile", "rules.mk", "ci/BUILD.bazel"])(
    "is rejected in %s, where leading white space is syntax, with the lines of the file",
    async (path) => {
      const error = await refused({ [path]: content }, wrap(`*** Update File: ${path}`, ...noMap));
      expect(error).toMatchObject({
        code: "PATCH_CONFLICT",
        details: { conflicts: [{ code: "HUNK_NOT_FOUND", cause: "indentation", places: [{ line: 1 }] }] },
      });
      expect(error.message).toContain("leading white space is syntax");
      expect(error.message).toContain("    x: 1\n-  y: 2");
    },
  );

  test("is accepted there if each indentation has a counterpart in the file", async () => {
    const hunk = ["@@", " class A:", " def go(self):", "-    a()", "+    b()", "+    c()"];
    const { tree } = await patched(
      { "a.py": "class A:\n    def go(self):\n        a()\n" },
      wrap("*** Update File: a.py", ...hunk),
    );
    expect(tree).toEqual({ "a.py": "class A:\n    def go(self):\n        b()\n        c()\n" });
  });

  test("is accepted there if it only removes lines", async () => {
    const { tree } = await patched({ "a.py": content }, wrap("*** Update File: a.py", ...noMap.slice(0, 3)));
    expect(tree).toEqual({ "a.py": "   x: 1\n" });
  });
});
