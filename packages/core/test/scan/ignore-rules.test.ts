import { expect, it } from "vitest";
import { compileGitignore } from "../../src/scan/ignore-rules.ts";

it.each([
  ["# comment\n*.log", "a.log", false, "ignored"],
  ["\\#file", "#file", false, "ignored"],
  ["\\!file", "!file", false, "ignored"],
  ["name   ", "name", false, "ignored"],
  ["name\\ ", "name ", false, "ignored"],
  ["build/", "build", true, "ignored"],
  ["build/", "build", false, undefined],
  ["*.log\n!keep.log", "keep.log", false, "kept"],
  ["!keep.log\n*.log", "keep.log", false, "ignored"],
  ["\ufefffirst", "first", false, "ignored"],
  ["windows\r\nline", "windows", false, "ignored"],
  ["[[:digit:]]*.log", "1.log", false, "ignored"],
  ["[[:digit:]]*.log", "a.log", false, undefined],
  ["last  \r", "last", false, "ignored"],
  ["[unclosed", "[unclosed", false, undefined],
  ["{a,b}", "a", false, undefined],
  ["", "", false, undefined],
] as const)("applies %j to %j (folder: %j): %j", (text, name, folder, expected) => {
  expect(compileGitignore(text)(name, folder)).toBe(expected);
});

it("takes bounded time", () => {
  expect(compileGitignore(`${"**/a/".repeat(60)}c`)(Array(2000).fill("a").join("/"), false)).toBeUndefined();
  expect(compileGitignore(`${"*a".repeat(60)}c`)("a".repeat(255), false)).toBeUndefined();
});

it("ignores a line longer than any path", () => {
  const verdict = compileGitignore(`${"\0".repeat(1_000_000)}\n${"*".repeat(5000)}\n*.log\n`);
  expect(verdict("a.log", false)).toBe("ignored");
  expect(verdict("a.txt", false)).toBeUndefined();
});

it("removes trailing blanks unless a backslash escapes them", () => {
  const verdict = compileGitignore(`a  \nb\\  \nc\\\\ \n${" ".repeat(4000)}d\n`);
  expect(verdict("a", false)).toBe("ignored");
  expect(verdict("b ", false)).toBe("ignored");
  expect(verdict("b", false)).toBeUndefined();
  expect(verdict("c\\", false)).toBe("ignored");
});
