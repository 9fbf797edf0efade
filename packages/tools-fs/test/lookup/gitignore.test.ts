import { fc, test } from "@fast-check/vitest";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { compileGitignore } from "../../src/lookup/gitignore.ts";
import { walk, WalkReport } from "../../src/lookup/walk.ts";
import { bench } from "../support/tool-context.ts";

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
  ["[unclosed", "[unclosed", false, undefined],
  ["{a,b}", "a", false, undefined],
  ["", "", false, undefined],
] as const)("%j on %j (folder: %j) says %j", (text, name, folder, expected) => {
  expect(compileGitignore(text)([name], folder)).toBe(expected);
});

it("cannot be made to hang", () => {
  expect(compileGitignore(`${"**/a/".repeat(60)}c`)(Array(2000).fill("a"), false)).toBeUndefined();
  expect(compileGitignore(`${"*a".repeat(60)}c`)(["a".repeat(255)], false)).toBeUndefined();
});

const name = fc.constantFrom("a", "b", "ab", "a.txt", "b.log", ".hidden", "build");
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const piece = fc.constantFrom("a", "b", "*", "**", "?", "*.txt", "a*", "[ab]", "[!a]", "build", ".*", "*b*");
const rule = fc
  .tuple(fc.boolean(), fc.boolean(), fc.array(piece, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(
    ([negated, rooted, parts, folders]) =>
      `${negated ? "!" : ""}${rooted ? "/" : ""}${parts.join("/")}${folders ? "/" : ""}`,
  );
const rules = fc.array(rule, { maxLength: 5 }).map((lines) => lines.join("\n"));

test.prop([fc.uniqueArray(file, { minLength: 1, maxLength: 12 }), rules, fc.tuple(name, rules)], {
  numRuns: 60,
})("shows the files that git shows", async (files, top, [folder, nested]) => {
  const { folder: root, workspace } = bench();
  const write = (path: string, text: string): void => {
    try {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    } catch {
      // A file where another path wants a folder: one of them wins.
    }
  };
  for (const path of files) write(path, "");
  write(".gitignore", top);
  write(`${folder}/.gitignore`, nested);

  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "core.excludesFile=/dev/null", ...args], { cwd: root, encoding: "utf8" });
  git("init", "-q");
  const expected = git("ls-files", "-z", "--others", "--exclude-standard").split("\0").filter(Boolean);

  const seen: string[] = [];
  const options = { signal: new AbortController().signal, includeIgnored: false, after: undefined };
  for await (const entry of walk(workspace.fs, ".", options, new WalkReport())) {
    if (entry.type === "file") seen.push(entry.path);
  }
  expect(seen.toSorted()).toEqual(expected.toSorted());
});
