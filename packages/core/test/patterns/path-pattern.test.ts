import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { foldCase } from "../../src/patterns/fold-case.ts";
import { compilePathPattern } from "../../src/patterns/path-pattern.ts";
import { matchesReference } from "./reference.ts";

type Options = Parameters<typeof compilePathPattern>[1];

function compile(patterns: string | string[], options?: Options) {
  const compiled = compilePathPattern(patterns, options);
  if ("problem" in compiled) throw new Error(compiled.message);
  return compiled;
}

describe("an invalid pattern", () => {
  test.each<[string, Options, string, number]>([
    ["a/[b", {}, "[", 2],
    ["[a/b]", {}, "[", 0],
    ["x[[:letter:]]", {}, "[:", 1],
    ["a{b,{c,d}", {}, "{", 1],
    ["x{a,b}{a,b}", { mostAlternatives: 3 }, "braces", 1],
    ["😀]", { strict: true }, "]", 2],
    ["a}", { strict: true }, "}", 1],
    ["a\\", { strict: true }, "\\", 1],
    ["a/b**", { strict: true }, "**", 3],
    ["a//b", { strict: true }, "/", 1],
    ["a/../b", { strict: true }, ".", 2],
    ["{a,}/b", { strict: true }, "/", 4],
  ])("has a problem with its position: %s", (pattern, options, problem, at) => {
    expect(compilePathPattern(["fine/**", pattern], options)).toMatchObject({ problem, at });
  });
});

test.each<[string, string, boolean, Options?]>([
  ["[[:alpha:]_]*", "a1", true],
  ["[![:alpha:]]*", "a1", false],
  ["[]a]", "]", true],
  ["[a\\]]", "]", true],
  ["[\\!a]", "!", true],
  ["[a-]", "-", true],
  ["[{,}]", ",", true],
  ["\\*\\*/x", "a/x", false],
  ["\\*\\*/x", "**/x", true],
  ["a**b", "axxb", true],
  ["a**b", "a/b", false],
  ["{a}", "{a}", true],
  ["{a}", "a", true, { strict: true }],
  ["{a,{b}}", "{b}", true],
  ["a]}", "a]}", true],
  ["a\\", "a\\", true],
  ["a,b", "a,b", true],
  ["{,x}a", "a", true],
  ["?", "😀", true],
  ["a\\/b", "a/b", true],
  ["/a", "a", true],
  ["{,a}/b", "b", true],
  ["", "", true],
  ["**", "", true],
  ["*", "", false],
  ["a/**", "", false],
  ["*", ".env", true],
  ["*", ".env", false, { dotFiles: false }],
  [".*", ".env", true, { dotFiles: false }],
  ["**/x", ".a/x", false, { dotFiles: false }],
  ["**/x", "a/x", true, { dotFiles: false }],
  ["[A-C]x", "bX", true, { fold: true }],
  ["[!a]", "A", false, { fold: true }],
  ["ΑΣ*", "ας.txt", true, { fold: true }],
  ["?", "ß", true, { fold: true }],
  ["caf\u00e9?", "CAFE\u0301s", true, { fold: true }],
])("matches %s on %s: %s", (pattern, path, expected, options) => {
  expect(compile(pattern, options).matches(path)).toBe(expected);
});

test("matches several patterns as one", () => {
  const pattern = compile(["src/*.ts", "src/lib/**", "**/secret"]);
  expect(["src/a.ts", "src/lib", "x/secret", "src/a.js"].map((path) => pattern.matches(path))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(pattern.covers("x/secret/y")).toBe(true);
  expect(pattern.covers("src/a")).toBe(false);
  expect(pattern.relate("src")).toEqual({ itself: false, some: true, all: false, anchored: true });
  expect(pattern.relate("x")).toEqual({ itself: false, some: true, all: false, anchored: false });
});

const name = fc.string({ unit: fc.constantFrom("a", "b", "B", ".", "é"), minLength: 1, maxLength: 4 });
const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join("/"));
const part = fc.array(
  fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]", "[^b.]", "[a-z]", "\\*", "\\a", "{a,b}", "{,b*}"),
  { minLength: 1, maxLength: 4 },
);
const segment = fc.oneof(
  { weight: 3, arbitrary: part.map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom("**", "*", "{a,a/b}", "{**,a}") },
);
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
// Two stars beside another character are one, which the book does not say.
const plain = pattern.filter((each) => !/[^/{,]\*\*|\*\*[^/},]|\*\{,b\*\}|\*\{,b\*\}\*|\{,b\*\}/.test(each));

property.prop([plain, fc.array(path, { minLength: 5, maxLength: 20 })], { numRuns: scaleRuns(1000, 4) })(
  "means what the book says",
  (glob, paths) => {
    const compiled = compile(glob);
    for (const each of paths) {
      expect([glob, each, compiled.matches(each)]).toEqual([glob, each, matchesReference(glob, each)]);
    }
  },
);

property.prop([fc.array(pattern, { minLength: 1, maxLength: 3 }), path, path], {
  numRuns: scaleRuns(1000, 4),
})("what is said of above and below holds there", (globs, folder, rest) => {
  const compiled = compile(globs);
  const { some, all, itself } = compiled.relate(folder);
  const below = compiled.matches(`${folder}/${rest}`);
  expect(itself).toBe(compiled.matches(folder));
  expect(itself).toBe(globs.some((each) => compile(each).matches(folder)));
  if (below) expect(some).toBe(true);
  if (all) expect(below).toBe(true);
  if (compiled.covers(folder)) expect(compiled.covers(`${folder}/${rest}`)).toBe(true);
  const names = folder.split("/");
  expect(compiled.covers(folder)).toBe(
    names.some((_, count) => compiled.matches(names.slice(0, count + 1).join("/"))),
  );
});

property.prop([pattern, path], { numRuns: scaleRuns(1000, 4) })(
  "folding never makes it narrower",
  (glob, each) => {
    fc.pre(!/\[[!^]/.test(glob));
    if (compile(glob).matches(each))
      expect(compile(glob, { fold: true }).matches(each.toUpperCase())).toBe(true);
  },
);

test("treats a letter as one letter, equal in every case of file systems and expressions", () => {
  const differ: string[] = [];
  for (let point = 0; point < 0x1_0000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const letter = String.fromCodePoint(point);
    const others = [letter.toUpperCase(), letter.toLowerCase()].filter((each) => each.length === 1);
    if (others.some((other) => foldCase(other) !== foldCase(letter))) differ.push(letter);
    const count = Array.from(letter.normalize("NFC")).length;
    if (letter !== "İ" && Array.from(foldCase(letter)).length !== count) differ.push(letter);
  }
  expect(differ).toEqual([]);
});

test("needs steps in proportion to pattern and path for a hostile pattern", () => {
  const text = `${"a".repeat(2000)}/`.repeat(50);
  expect(compile(`${"**/".repeat(150)}${"*a".repeat(400)}b`).matches(text)).toBe(false);
  expect(compile(`${"?*".repeat(400)}b`).matches(text)).toBe(false);
  expect(compile(`${"**/[a]*/".repeat(100)}b`).matches(text)).toBe(false);
  expect(compilePathPattern("{a,b}".repeat(500))).toMatchObject({ problem: "braces" });
});

property.prop([
  fc.string({ unit: fc.constantFrom(...Array.from("ab*?[]{},!^-/\\:")) }),
  fc.string(),
  fc.boolean(),
])("takes any text, or says what is wrong", (glob, each, strict) => {
  const compiled = compilePathPattern(glob, { strict });
  if ("problem" in compiled) expect(compiled.at).toBeLessThan(glob.length + 1);
  else expect(typeof compiled.matches(each)).toBe("boolean");
});

test.each(["[z-a]", "[z-m]nop", "[!z-a]", "x/[ab-Z]", "{[z-a],q}", "[é-a]"])(
  "rejects %s, whose range ends before it begins",
  (pattern) => {
    for (const options of [{}, { strict: true }, { fold: true }])
      expect(compilePathPattern(pattern, options)).toMatchObject({ problem: "-" });
  },
);

test("treats a reversed range as empty like git, and the rest of the set counts", () => {
  const pattern = compilePathPattern("[z-ab]", { emptyRanges: true });
  if ("problem" in pattern) throw new Error(pattern.message);
  expect([pattern.matches("b"), pattern.matches("a"), pattern.matches("z")]).toEqual([true, false, false]);
});

test.each(["[a-a]", "[a-z]", "[Z-a]", "[-z]", "[z-]", "[a\\-z]"])("accepts %s as a set", (pattern) => {
  expect(compilePathPattern(pattern, { strict: true })).not.toHaveProperty("problem");
});
