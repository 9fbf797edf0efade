import { describe, expect, test } from "vitest";
import { edit, edited } from "../support/edit-calls.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

/** The lines differ from what is asked for in more than one way. */
const NO_MAP = "a:\n   b: 1\n  c: 2\n";

describe("text with another indentation than the file", () => {
  test.each([
    ["YAML", "a:\n  b: 1\n  c: 2\n", "b: 1\nc: 2", "b: 1\nc: 3", "a:\n  b: 1\n  c: 3\n"],
    [
      "Python, copied without its indentation",
      "def f(x):\n    if x:\n        return 1\n    return 0\n",
      "if x:\n    return 1",
      "if x:\n    log()\n    return 2",
      "def f(x):\n    if x:\n        log()\n        return 2\n    return 0\n",
    ],
    [
      "a Makefile, quoted with spaces",
      "all:\n\tcc a.c\n\tcc b.c\n",
      "all:\n    cc a.c\n    cc b.c",
      "all:\n    cc a.c\n    cc c.c",
      "all:\n\tcc a.c\n\tcc c.c\n",
    ],
    [
      "two levels of tabs",
      "\tif a:\n\t\tb()\n",
      "  if a:\n    b()",
      "  if a:\n    if c:\n      b()",
      "\tif a:\n\t\tif c:\n\t\t\tb()\n",
    ],
    ["too much quoted", "a\n  b\n", "    a\n      b", "    a\n      c", "a\n  c\n"],
    ["a removed line", "\ta();\n\tb();\n\tc();\n", "a();\nb();\nc();", "a();\nc();", "\ta();\n\tc();\n"],
    [
      "kept lines keep odd bytes",
      "  a “x”\n   b \n  c\n",
      '  a "x"\n  b\n  c',
      '  a "x"\n  b\n',
      "  a “x”\n   b \n\n",
    ],
    ["a hard break in Markdown", "one  \ntwo\n", "one\ntwo", "one\n2", "one  \n2\n"],
  ])("adapts new lines and keeps unchanged lines: %s", async (_, content, oldText, newText, after) => {
    expect((await edited(content, { oldText, newText })).after).toBe(after);
  });

  test("keeps new lines unchanged next to lines with equal indentation", async () => {
    const oldText = "a\n  b\n  c\n  d";
    const { after } = await edited("a\n  b\n\tc\n  d\n", { oldText, newText: "a\n    B\n  b\n  c\n  d" });
    expect(after).toBe("a\n    B\n  b\n\tc\n  d\n");
  });

  test("keeps new lines unchanged and reports it if the indentation is unknown", async () => {
    const oldText = "    b: 1\n    c: 2";
    const { after, text } = await edited(NO_MAP, { oldText, newText: "    b: 1\n    c: 3" });
    expect(after).toBe("a:\n   b: 1\n    c: 3\n");
    expect(text).toContain("is unknown, so they are unchanged");
    const { text: adopted } = await edited("\ta\n\tb\n", { oldText: "a\nb", newText: "a\nc" });
    expect(adopted).toContain("its new lines got the indentation of the file.");
  });

  test("is rejected if leading white space is syntax", async () => {
    const space = await temporaryWorkspace({ "a.yaml": NO_MAP });
    const params = { path: "a.yaml", oldText: "    b: 1\n    c: 2" };
    const error = await edit(space, { ...params, newText: "    b: 1\n    c: 3" }).catch(
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause: "indentation" } });
    expect((error as Error).message).toContain("   b: 1\n  c: 2");
    expect(await space.read("a.yaml")).toBe(NO_MAP);
    // Nothing has to be indented here.
    await edit(space, { ...params, newText: "    b: 1" });
    expect(await space.read("a.yaml")).toBe("a:\n   b: 1\n");
  });
});
