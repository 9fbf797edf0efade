import { fc } from "@fast-check/vitest";
import { HaftError } from "@haft/plugin-sdk";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { parseQuery } from "../../src/grep/query.ts";
import { locateRipgrep } from "../support/locate-ripgrep.ts";
import { temporaryFolder, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

/** Numbers of the lines found, or the code of the refusal. */
function linesOf(pattern: string, lines: readonly string[]): number[] | string {
  try {
    const query = parseQuery(pattern, {});
    const found = (line: string): boolean =>
      query.kind === "literal" ? line.includes(query.text) : new RegExp(query.source, query.flags).test(line);
    return lines.flatMap((line, index) => (found(line) ? [index + 1] : []));
  } catch (error) {
    if (!HaftError.is(error)) throw error;
    return error.code;
  }
}

describe("patterns of other dialects", () => {
  const lines = ["plain one", "two plain", "interface{} a-b", "\u0007bell\u001b[0m", "a{,3} {1, 2} é_"];

  it.each([
    [String.raw`\Aplain`, [1]],
    [String.raw`plain\z`, [2]],
    [String.raw`plain\Z`, [2]],
    [String.raw`\x{70}lain`, [1, 2]],
    [String.raw`\U00000070lain`, [1, 2]],
    [String.raw`\u{70}lain`, [1, 2]],
    [String.raw`^\pLlain`, [1]],
    [String.raw`(?P<word>pl)ain`, [1, 2]],
    [String.raw`(?is)PLAIN`, [1, 2]],
    [String.raw`\abell\e\[`, [4]],
    [String.raw`interface{}`, [3]],
    [String.raw`a\-b`, [3]],
    [String.raw`\ [\w-]-b`, [3]],
    [String.raw`[\w-.]-b`, [3]],
    [String.raw`{1, 2}`, [5]],
    [String.raw`\_`, [5]],
    [String.raw`[[:alpha:]-z]-`, [3]],
    [String.raw`\é`, [5]],
  ])("have the same meaning: %s", (pattern, expected) => {
    expect(linesOf(pattern, lines)).toEqual(expected);
  });

  it.each([
    [String.raw`\<plain\>`, String.raw`\b`],
    [String.raw`Array\<string\>`, "<"],
    [String.raw`one\h`, String.raw`[ \t]`],
    [String.raw`\bplain\b{end}`, String.raw`\b`],
    [String.raw`[[:<:]]plain`, String.raw`\b`],
    [String.raw`\mplain\M`, String.raw`\b`],
    [String.raw`\Qa.b\E`, "literal=true"],
    [String.raw`two \Kplain`, "(?<=…)"],
    [String.raw`plain\R`, "leave it out"],
    ["plai++n", "+ alone"],
    ["plai{1,2}+n", "{1,2} alone"],
    ["a{,3}", "{0,3}"],
    ["[]p]lain", String.raw`[\]…]`],
    ["[^]p]lain", String.raw`[^\]…]`],
    ["foo[]", String.raw`\[\]`],
    ["[a-z&&[^a]]+", "look ahead"],
    ["[[=a=]]", "[a-zA-Z]"],
    ["plain(?i)X", "ignoreCase"],
    ["(?x)a b", "Leave the flags out"],
    ["(?>plain)", "(?:…)"],
    ["(?<n>a)(?P=n)", String.raw`\k<name>`],
    [String.raw`(a)\g1`, String.raw`\1`],
    [String.raw`\q`, String.raw`\\q`],
    [String.raw`plain\8`, "literal=true"],
    ["plain\\", String.raw`\\`],
  ])("are rejected with an alternative: %s", (pattern, instead) => {
    let thrown: unknown;
    try {
      parseQuery(pattern, {});
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "INVALID_PATTERN" });
    expect((thrown as HaftError).fix).toContain(instead);
  });

  it("are explained if nothing matches", async () => {
    const { call } = withFiles({ "a.txt": "one\n" });
    const tool = createGrepTool();
    const answer = async (pattern: string) => texts(await call(tool, { pattern })).join("");
    expect(await answer(String.raw`one\|two`)).toContain("alternatives are written a|b");
    expect(await answer(String.raw`n\{2\}`)).toContain("repetitions are written a{2}");
  });
});

const program = locateRipgrep();

const characters = Array.from("abp1 _-{}]<>&,/%~");
const escapes = Array.from(
  "AzZdDwWsSbBhHRQEKGXNmMyaetnfvxupP<>-_/\"'#&~%@=,;:! ",
  (character) => `\\${character}`,
);
const longEscapes = [
  String.raw`\x{61}`,
  String.raw`\x61`,
  String.raw`\u0061`,
  String.raw`\U00000061`,
  String.raw`\pL`,
  String.raw`\p{L}`,
  String.raw`\p{Lu}`,
  String.raw`\b{start}`,
  String.raw`\.`,
  String.raw`\{`,
];
const classes = [
  "[a-c]",
  "[^a]",
  "[]a]",
  "[^]a]",
  "[a&&b]",
  "[[:alpha:]]",
  "[[:^alpha:]]",
  "[a-]",
  "[-a]",
  "[.,:]",
  String.raw`[\w-]`,
  String.raw`[\d-a]`,
  String.raw`[\]a]`,
  String.raw`[\-a]`,
  String.raw`[\x{61}-c]`,
];
const atom = fc.oneof(
  ...[characters, escapes, longEscapes, classes].map((each) => fc.constantFrom(...each)),
  fc.constantFrom("plain", "^", "$", ".", "(a|b)", "(?:p)", "(?P<n>a)", "(?i)", "[:alpha:]"),
);
const quantifier = fc.constantFrom("", "", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "++", "{,2}");
const pattern = fc
  .array(
    fc.tuple(atom, quantifier).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""));

describe.skipIf(program === undefined)("with ripgrep", () => {
  it("find the same lines if both accept them", () => {
    const lines = ["plain a1", "b-a {}", "a_b <p>", "aab ]", "", "Pa,b", "a&&b", "x1 / %", "  a", "zAbQ"];
    const file = join(temporaryFolder(), "lines");
    writeFileSync(file, `${lines.join("\n")}\n`);
    let compared = 0;
    fc.assert(
      fc.property(pattern, (source) => {
        const own = linesOf(source, lines);
        if (typeof own === "string") return;
        // ripgrep never finds it, although an empty line has both ends in this order.
        if (/\$\W*\^/.test(source)) return;
        const { status, stdout } = spawnSync(program!, ["--no-config", "-n", "-e", source, file], {
          encoding: "utf8",
        });
        // Not every pattern is one there.
        if (status === 2) return;
        compared += 1;
        const found = stdout.split("\n").flatMap((line) => (line === "" ? [] : [Number.parseInt(line, 10)]));
        expect({ source, found: own }).toEqual({ source, found });
      }),
      { numRuns: scaleRuns(2000, 20) },
    );
    expect(compared).toBeGreaterThan(0);
  });
});
