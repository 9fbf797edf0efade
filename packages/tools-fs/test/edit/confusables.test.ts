import { describe, expect, it } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { createEditTool } from "../../src/edit/edit.ts";
import { failure } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const edit = createEditTool();
const patch = createApplyPatchTool();

describe("an old text that looks the same as the file", () => {
  it.each([
    ["another normal form", "cafe\u0301 one", "caf\u00e9 one", "column 4", "U+00E9", "U+0065 U+0301"],
    ["a zero-width space", "foo\u200bbar", "foobar", "column 4", "U+0062", "U+200B"],
    ["a soft hyphen", "foo\u00adbar", "foobar", "column 4", "U+0062", "U+00AD"],
    ["a Cyrillic letter", "p\u0430ssword", "password", "column 2", "U+0061", "U+0430"],
    ["a full-width bracket", "call\uff08x)", "call(x)", "column 5", "U+0028", "U+FF08"],
    ["a bidirectional mark", "a\u202eb", "ab", "column 2", "U+0062", "U+202E"],
  ])("is explained by the characters: %s", async (_, content, oldText, ...expected) => {
    const { call } = withFiles({ f: `${content}\n` });
    const error = await failure(call(edit, { path: "f", oldText, newText: "x" }));
    expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause: "confusable" } });
    for (const part of expected) expect(error.message).toContain(part);
    const input = `*** Begin Patch\n*** Update File: f\n@@\n-${oldText}\n+x\n*** End Patch`;
    const conflict = await failure(call(patch, { input }));
    for (const part of expected) expect(conflict.message).toContain(part);
  });

  it.each([
    ["\\u2019", "it\u2019s", "it\\u2019s"],
    ["\\u{1f600}", "smile \u{1f600}!", "smile \\u{1f600}!"],
    ["\\xe9", "caf\u00e9", "caf\\xe9"],
    ["an HTML entity", "a < b && c", "a &lt; b &amp;&amp; c"],
    ["a numeric entity", "it\u2019s", "it&#8217;s"],
  ])("is explained by the escape %s", async (_, content, oldText) => {
    const { call } = withFiles({ f: `${content}\n` });
    const error = await failure(call(edit, { path: "f", oldText, newText: "x" }));
    expect(error).toMatchObject({ code: "EDIT_NOT_FOUND", details: { cause: "escapes" } });
  });
});
