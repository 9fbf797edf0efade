import { describe, expect, it } from "vitest";
import { compileGlob } from "../../src/scan/glob.ts";

function matcher(glob: string): (path: string) => boolean {
  const compiled = compileGlob(glob);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.matches;
}

describe("compileGlob", () => {
  it.each([
    ["[abc", "never closed"],
    ["*.{txt", "never closed"],
    ["{a,b", "never closed"],
    ["{a,{b,c}", "never closed"],
    ["!*.{txt", "never closed"],
    ["[[:letter:]]", "unknown class"],
    ["[[:^alpha:]]", "unknown class"],
    ["x".repeat(1001), "1001 characters"],
    ["{a,b}".repeat(9), "more than 256"],
  ])("rejects %j", (glob, why) => {
    expect(compileGlob(glob)).toEqual({ problem: expect.stringContaining(why) });
  });

  it("answers immediately if a regular expression would take hours", () => {
    const stars = matcher(`${"*a".repeat(40)}b`);
    expect(stars("a".repeat(255))).toBe(false);
    const folders = matcher(`${"**/a/".repeat(40)}b`);
    expect(folders("a/".repeat(2000))).toBe(false);
  });

  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "deep/down/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["./*.ts", "a.ts", true],
    ["./*.ts", "b/a.ts", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/b/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**", "src", false],
    ["src/**", "src/a/b", true],
    ["**/test/**", "a/test/b", true],
    [".*", ".env", true],
    ["*", ".env", true],
    ["?.txt", "😀.txt", true],
    ["[!a-c].txt", "d.txt", true],
    ["[!a-c].txt", "b.txt", false],
    ["[]a].txt", "].txt", true],
    ["\\*.txt", "*.txt", true],
    ["\\*.txt", "a.txt", false],
    ["*.{ts,{j,mj}s}", "a.mjs", true],
    ["{a}.txt", "{a}.txt", true],
    ["\\{a,b", "{a,b", true],
    ["[{]a", "{a", true],
    ["a}", "a}", true],
    ["!*.txt", "a.md", true],
    ["!*.txt", "src/a.txt", false],
    ["!src/**", "src/a.txt", false],
    ["!{a,b}.txt", "c.txt", true],
    ["\\!a", "!a", true],
    ["[[:alpha:]]*", "a1", true],
    ["[[:alpha:]]*", "1a", false],
    ["[![:digit:]_]", "_", false],
    ["[![:digit:]_]", "x", true],
    ["[[:punct:][:space:]]", "~", true],
    ["[:alpha:]", "p", true],
    ["", "", true],
    ["{a,b/c}", "x/a", true],
    ["{a,b/c}", "b/c", true],
    ["{a,b/c}", "x/b/c", false],
    ["{,a}/b", "b", true],
    ["{src/**,test/**}", "src", false],
    ["{src/**,test/**}", "test/a/b", true],
  ])("matches %j against %j: %j", (glob, path, expected) => {
    expect(matcher(glob)(path)).toBe(expected);
  });
});
