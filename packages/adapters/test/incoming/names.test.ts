import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { sanitizeToolName, nameTools } from "../../src/incoming/names.ts";

describe("names of other frameworks", () => {
  test.each([
    ["get-weather", "get-weather"],
    ["web.search", "web_search"],
    ["web search", "web_search"],
    ["3d_render", "tool_3d_render"],
    ["_private", "tool_private"],
    ["mcp://a/b", "mcp_a_b"],
  ])("%s becomes %s", (name, here) => expect(sanitizeToolName(name)).toBe(here));

  property.prop([fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 })])(
    "any name becomes one",
    (name) => {
      expect(sanitizeToolName(name)).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,47}$/);
      expect(sanitizeToolName(sanitizeToolName(name))).toBe(sanitizeToolName(name));
    },
  );

  test("distinguishes names that differ only in removed characters", () => {
    const names = ["天气", "新闻", "get_天气", "get_新闻", `${"a".repeat(60)}1`, `${"a".repeat(60)}2`];
    expect(new Set(names.map(sanitizeToolName)).size).toBe(names.length);
  });

  test("two that would have one name are refused, and renaming helps", () => {
    expect(() => nameTools(["a.b", "a_b"])).toThrow('"a.b" and "a_b" would both be called a_b here.');
    expect([...nameTools(["a.b", "a_b"], { "a.b": "other" }).values()]).toEqual(["other", "a_b"]);
    expect(() => nameTools(["a", "a"])).toThrow('Two tools are called "a".');
    expect(() => nameTools(["a"], { a: "not a name" })).toThrow("which is none");
  });
});
