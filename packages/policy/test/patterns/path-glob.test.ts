import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { compilePathGlob, escapePath, matchPath } from "../../src/patterns/path-glob.ts";

function match(pattern: string, relative: string, { fold = false, recursive = false } = {}) {
  const glob = compilePathGlob(pattern, fold);
  if ("message" in glob) throw new Error(glob.message);
  return matchPath(glob, { path: `/work/${relative}`, relative, access: "read", recursive });
}

describe("misleading patterns", () => {
  test.each([
    ["", "missing"],
    [" src", "begins or ends with a space"],
    ["~/src", "~ is not expanded"],
    ["src/", "/**"],
    ["src//a", "empty name"],
    ["./src", "name ."],
    ["src/../a", "name .."],
    ["src/**x", "** next to other characters"],
    ["***", "** next to other characters"],
    ["a[bc", "set of characters"],
    ["[[:letters:]]", "unknown class"],
    ["[a/b]", "set of characters"],
    ["a]", "set of characters"],
    ["{a,b", "{ without }"],
    ["a}", "} without {"],
    ["}{a,b}", "} without {"],
    ["a\\", "backslash"],
    ["{a,b}".repeat(7), "more than 64"],
    ["x".repeat(1001), "1000 characters"],
  ])("are rejected: %s", (pattern, says) => {
    expect(compilePathGlob(pattern, false)).toMatchObject({ message: expect.stringContaining(says) });
  });
});

describe("path patterns", () => {
  test.each([
    ["src/*", "src/a.ts", true],
    ["src/*", "src/a/b.ts", false],
    ["src/*", "src/.env", true],
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/**", "srcs/a", false],
    ["**/.env", ".env", true],
    ["**/.env", "a/b/.env", true],
    ["**/.env", "a/.env/b", false],
    ["**/.env*", "a/.env.local", true],
    ["**", "", true],
    ["**", "a/b", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["?.ts", "a.ts", true],
    ["?.ts", "😀.ts", true],
    ["?.ts", "ab.ts", false],
    ["a?b", "a/b", false],
    ["{src,test}/**", "test/x", true],
    ["{a/b,c}/d", "a/b/d", true],
    ["{a,{b,c}}x", "cx", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["\\[slug\\].ts", "[slug].ts", true],
    ["a,b", "a,b", true],
    ["[a-z]*", "readme", true],
    ["[a-z]*", "README", false],
    ["[!a-z]*", "README", true],
    ["[[:upper:]]*/x", "A1/x", true],
    ["{a}/**", "a/b", true],
    ["{a}/**", "{a}/b", false],
    ["\\{a\\}/**", "{a}/b", true],
    ["README", "readme", false],
  ])("compare %s with %s: %s", (pattern, path, expected) =>
    expect(match(pattern, path).itself).toBe(expected),
  );

  test("match absolute paths if they begin with a slash", () => {
    expect(match("/work/src/*", "src/a").itself).toBe(true);
    expect(match("/src/*", "src/a").itself).toBe(false);
  });

  test("ignore case and Unicode form in restricting lists", () => {
    expect(match("**/.Env", "a/.eNV", { fold: true }).itself).toBe(true);
    expect(match("caf\u00e9", "cafe\u0301", { fold: true }).itself).toBe(true);
    expect(match("[a-z]\u00e9", "RE\u0301", { fold: true }).itself).toBe(true);
  });
});

test.each([
  ["**/.env", "src", { itself: false, some: true, all: false }],
  ["src/**", "src", { itself: true, some: true, all: true }],
  ["src/**", "", { itself: false, some: true, all: false }],
  ["src/*", "src", { itself: false, some: true, all: false }],
  ["src/a", "src/a", { itself: true, some: false, all: false }],
  ["docs/**", "src", { itself: false, some: false, all: false }],
  ["**", "", { itself: true, some: true, all: true }],
])("relates %s to paths below %s", (pattern, path, expected) => {
  expect(match(pattern, path, { recursive: true })).toEqual(expected);
});

const name = fc.stringMatching(/^[ab.*?{}[\]\\,A]{1,5}$/).filter((text) => text !== "." && text !== "..");
const names = fc.array(name, { minLength: 1, maxLength: 4 }).map((each) => each.join("/"));

property.prop([names])("an escaped path matches only itself", (path) => {
  const pattern = escapePath(path);
  expect(match(pattern, path).itself).toBe(true);
  expect(match(pattern, `${path}x`).itself).toBe(false);
});

const part = fc.constantFrom("a", "b", "*", "?", "a*", "*b", "a?b", "**");
const pattern = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
const path = fc
  .array(fc.stringMatching(/^[ab]{1,3}$/), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("/"));

property.prop([pattern, path], { numRuns: scaleRuns(1000, 4) })(
  "matches exactly like a regular expression",
  (glob, text) => {
    expect(match(glob, text).itself).toBe(byExpression(glob, text));
  },
);

property.prop([pattern, path, path], { numRuns: scaleRuns(1000, 4) })(
  "relates a folder to paths below it like each path itself",
  (glob, folder, rest) => {
    const { some, all } = match(glob, folder, { recursive: true });
    const below = match(glob, `${folder}/${rest}`).itself;
    if (below) expect(some).toBe(true);
    if (all) expect(below).toBe(true);
  },
);

test("matches a malicious pattern in bounded time", () => {
  const glob = `${"**/".repeat(150)}${"*a".repeat(100)}b`;
  expect(match(glob, `${"a/".repeat(2000)}${"a".repeat(2000)}`).itself).toBe(false);
});

/** Slow for spiteful patterns, and plain. */
function byExpression(glob: string, text: string): boolean {
  const source = glob
    .split("/")
    .map((each) =>
      each === "**" ? "(?:[^/]+/)*" : `${each.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}/`,
    );
  return new RegExp(`^${source.join("")}$`).test(`${text}/`);
}
