import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { findRequiredText } from "../../src/scan/required-text.ts";

describe("findRequiredText", () => {
  it.each([
    ["needle", "needle"],
    ["needle|other", ""],
    ["a(b|c)defg", "defg"],
    ["abc?", "ab"],
    ["abc*defg", "defg"],
    ["abcd+e", "abcd"],
    ["abcx{0,3}y", "abc"],
    ["[a|b]cd", "cd"],
    ["\\bword\\b", "word"],
    ["a\\.b", "a.b"],
    ["(?!x)abc", "abc"],
    ["\\u0041bcdef", ""],
    ["\\p{L}abc", ""],
    ["(a)\\1bcd", ""],
    ["(unclosed", ""],
    ["\u{1f600}?", ""],
    ["", ""],
  ])("finds in %j: %j", (source, expected) => {
    expect(findRequiredText(source)).toBe(expected);
  });

  it("takes bounded time", () => {
    for (const part of ["(", "[a-", "\\\\", "a{", "(?:[", "a|", "(["]) {
      const before = process.threadCpuUsage().user;
      findRequiredText(part.repeat(5_000 / part.length));
      expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(5_000);
    }
  });

  const atom = fc.constantFrom(
    "a",
    "b",
    "\\.",
    ".",
    "[ab]",
    "(a|b)",
    "(?:ab)",
    "\\w",
    "^",
    "$",
    "(?=a)",
    "\\b",
    "|",
  );
  const part = fc.tuple(atom, fc.constantFrom("", "", "?", "*", "+", "{2}", "{0,1}"));
  const source = fc
    .array(part, { maxLength: 6 })
    .map((parts) => parts.map(([one, times]) => one + times).join(""));
  const text = fc.string({ unit: fc.constantFrom("a", "b", ".", " "), maxLength: 8 });

  test.prop([source, text])("is in each match", (pattern, line) => {
    let regex: RegExp;
    try {
      regex = new RegExp(pattern, "su");
    } catch {
      return;
    }
    const match = regex.exec(line);
    if (match !== null) expect(match[0]).toContain(findRequiredText(pattern));
  });
});
