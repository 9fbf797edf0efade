import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { createEditTool } from "../../src/edit/edit.ts";
import { failure } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const patch = createApplyPatchTool();
const edit = createEditTool();
const MARK = "\\ No newline at end of file";

describe("a patch that changes the final line ending", () => {
  it.each([
    ["adds it", "one", ["-one", MARK, "+one"], "one\n"],
    ["adds it with other lines", "one", ["-one", MARK, "+one", "+two"], "one\ntwo\n"],
    ["adds it below context", "a\r\none", [" a", "-one", MARK, "+one"], "a\r\none\r\n"],
    ["removes it", "one\n", ["-one", "+one", MARK], "one"],
    ["removes it with other lines", "one\r\n", ["-one", "+one", "+two", MARK], "one\r\ntwo"],
    ["keeps a missing one", "one", ["-one", MARK, "+two", MARK], "two"],
    ["keeps a missing one after context", "a\none", ["-a", "+b", " one", MARK], "b\none"],
    ["ignores a mark within the file", "a\nb\n", ["-a", "+c", MARK, " b"], "c\nb\n"],
  ])("%s", async (_, before, lines, after) => {
    const { call, folder } = withFiles({ f: before });
    await call(patch, {
      input: ["*** Begin Patch", "*** Update File: f", "@@", ...lines, "*** End Patch"].join("\n"),
    });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe(after);
  });
});

describe("a byte order mark", () => {
  it.each([
    ["-\ufeffone", "+one"],
    ["-one", "+\ufeffone"],
  ])("is not changed by a patch: %j", async (...lines) => {
    const { call } = withFiles({ f: "\ufeffone\n" });
    const input = ["*** Begin Patch", "*** Update File: f", "@@", ...lines, "*** End Patch"].join("\n");
    const error = await failure(call(patch, { input }));
    expect(error).toMatchObject({ code: "INVALID_TEXT" });
    expect(error.message).toContain("adds or removes the byte order mark of f, which belongs to no line.");
  });

  it.each([
    ["\ufeffone\n", "\ufeffone", "one", "one\n"],
    ["one\n", "one", "\ufeffone", "\ufeffone\n"],
    ["\ufeffone\n", "one", "\ufefftwo", "\ufefftwo\n"],
  ])("is changed by an edit of %j", async (before, oldText, newText, after) => {
    const { call, folder } = withFiles({ f: before });
    await call(edit, { path: "f", oldText, newText });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe(after);
  });
});

describe("equal hunks below one anchor", () => {
  it("apply to one location each, in order", async () => {
    const { call, folder } = withFiles({ f: "class A:\n  x = 1\n  y = 2\n  x = 1\n  y = 2\n" });
    const hunk = (value: number) => ["@@ class A:", "-  x = 1", `+  x = ${value}`, "   y = 2"];
    const input = ["*** Begin Patch", "*** Update File: f", ...hunk(8), ...hunk(9), "*** End Patch"].join(
      "\n",
    );
    await call(patch, { input });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("class A:\n  x = 8\n  y = 2\n  x = 9\n  y = 2\n");
  });
});

it.each([
  "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n",
  "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n",
  "Index: f\n===\n--- f\n+++ f\n@@ -1 +1 @@\n-one\n+two\n",
])("names a unified diff: %j", async (input) => {
  const { call } = withFiles({ f: "one\n" });
  const error = await failure(call(patch, { input }));
  expect(error).toMatchObject({ code: "PATCH_INVALID" });
  expect(error.message).toContain("This is a unified diff");
});
