import { fc } from "@fast-check/vitest";
import { chmodSync, existsSync, linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { parseQuery } from "../../src/grep/query.ts";
import { ripgrepPattern } from "../../src/grep/ripgrep-pattern.ts";
import { locateRipgrep } from "../support/locate-ripgrep.ts";
import { bench, temporaryFolder } from "../support/tool-context.ts";
import { tree, withFiles } from "../support/tree.ts";

const program = locateRipgrep();

/** ripgrep, and a note each time it is started. */
function counted(folder: string): { path: string; starts: () => number; shown: () => string } {
  const path = join(folder, "rg");
  const log = join(folder, "log");
  const names = join(folder, "names");
  writeFileSync(path, `#!/bin/sh\necho x >> '${log}'\necho "$@" >> '${names}'\nexec '${program}' "$@"\n`);
  chmodSync(path, 0o755);
  return {
    path,
    starts: () => (existsSync(log) ? readFileSync(log, "utf8").length / 2 : 0),
    shown: () => readFileSync(names, "utf8"),
  };
}

/** Enough files for ripgrep to be asked: words, both line ends, marks, binary and other encodings. */
function corpus(): Record<string, string | Buffer> {
  const plain = ["alpha", "Beta", "naïve", "x.y", "a-b", "12 3", "aaa", "漢字", ""];
  const words = [...plain, "k\u212a", "a\rb", "\u00a0_", "\ufeff"];
  const files: Record<string, string | Buffer> = {};
  for (let i = 0; i < 520; i += 1) {
    const lines = Array.from(
      { length: i % 7 },
      (_, j) => `${words[(i * 5 + j) % 13]} ${words[(i + j * 3) % 13]}`,
    );
    const text = `${i % 11 === 0 ? "\ufeff" : ""}${lines.join(i % 3 === 0 ? "\r\n" : "\n")}${i % 2 === 0 ? "\n" : ""}`;
    const bytes =
      i % 17 === 0
        ? Buffer.from(text, "utf16le")
        : i % 19 === 0
          ? Buffer.from(`${text}\xe9`, "latin1")
          : i % 13 === 0
            ? Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0xaf])])
            : text;
    files[`${i % 10}/-file ${i}`] = i % 23 === 0 ? Buffer.from(`${text}\0`) : bytes;
  }
  return files;
}

const atom = fc.oneof(
  fc.constantFrom(...Array.from("abkBx1 _.-ï漢\u212a")),
  fc.constantFrom("alpha", "Beta", "^", "$", "\\d", "\\w", "\\s", "\\t", "\\.", "\\-"),
  fc.constantFrom("[a-c]", "[^a]", "[\\d-]", "[\\w.]", "[^\\d]", "[k]", "(a|b)", "(?:x)", "(?<n>a)"),
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "*?");
const pattern = fc
  .array(
    fc.tuple(atom, quantifier).map(([one, times]) => (/^[\^$]$/.test(one) ? one : one + times)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""))
  // A group has one name only.
  .filter((source) => source.split("(?<n>").length < 3);

describe.skipIf(program === undefined)("with ripgrep", () => {
  const plain = createGrepTool({ ripgrep: false });

  it("every search has the same result as without", async () => {
    const { call } = withFiles(corpus());
    const rg = counted(temporaryFolder());
    const helped = createGrepTool({ ripgrep: rg.path });
    let translated = 0;
    const numRuns = scaleRuns(60, 6);
    const search = fc.record({ pattern, literal: fc.boolean(), ignoreCase: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(search, async (params) => {
        const bounded = { ...params, limit: 5000, maxPerFile: 1 };
        expect(await call(helped, bounded)).toEqual(await call(plain, bounded));
        if (ripgrepPattern(parseQuery(params.pattern, params)) !== undefined) translated += 1;
      }),
      { numRuns },
    );
    expect(translated).toBeGreaterThan(numRuns / 3);
    expect(rg.starts()).toBeGreaterThanOrEqual(translated);
  });

  it("reports the same skipped files and never receives them", async () => {
    const { folder, call } = withFiles(corpus());
    const secret = join(temporaryFolder(), "secret");
    writeFileSync(secret, "alpha");
    for (const name of ["0/alias", "5/alias"]) linkSync(secret, join(folder, name));
    writeFileSync(join(folder, "9/.netrc"), "alpha");
    const rg = counted(temporaryFolder());
    const helped = createGrepTool({ ripgrep: rg.path });
    for (const search of ["alpha", "no such thing", "^12"]) {
      for (const limit of [3, 5000]) {
        const answer = await call<GrepToolDetails>(helped, { pattern: search, limit });
        expect(answer).toEqual(await call(plain, { pattern: search, limit }));
        if (limit === 5000) {
          expect(answer.details.skipped).toMatchObject({ hardLinked: 2, unreadable: 1 });
          expect(answer.details.skipped.notUtf8).toBeGreaterThan(25);
        }
      }
    }
    expect(rg.starts()).toBeGreaterThan(3);
    expect(rg.shown()).not.toMatch(/alias|netrc/);
  });

  it("searches all files itself if ripgrep fails", async () => {
    const { call } = withFiles(corpus());
    const broken = join(temporaryFolder(), "rg");
    writeFileSync(broken, "#!/bin/sh\necho nonsense\nexit 2\n");
    chmodSync(broken, 0o755);
    const params = { pattern: "alpha", limit: 5000 };
    const { details } = await call<GrepToolDetails>(createGrepTool({ ripgrep: broken }), params);
    expect(details).toEqual((await call<GrepToolDetails>(plain, params)).details);
  });
});

describe("ripgrepPattern", () => {
  const translated = (source: string): readonly string[] | undefined =>
    ripgrepPattern(parseQuery(source, { literal: false, ignoreCase: false }));

  it.each(["a(?=b)", "(?<!a)b", "(a)\\1", "\\bword", "\\W", "[^\\w]", "\\u0041", "\\p{L}", "[\\b]"])(
    "does not translate syntax that ripgrep interprets differently: %s",
    (source) => {
      expect(translated(source)).toBeUndefined();
    },
  );

  it.each([
    ["plain", ["--regexp", "plain"]],
    ["a.c", ["--regexp", "a[^\\n]c"]],
    ["(foo|bar)+$", ["--regexp", "(?:foo|bar)+(?:\\r?$)"]],
    ["[a-z&|]", ["--regexp", "[a-z\\x{26}\\x{7c}]"]],
    ["a\\-b{}", ["--regexp", "a\\x{2d}b\\x{7b}\\x{7d}"]],
  ])("translates %s", (source, expected) => {
    expect(translated(source)).toEqual(expected);
  });
});

describe("a program named rg in the workspace", () => {
  let path: string | undefined;
  beforeAll(() => {
    path = process.env["PATH"];
    return () => {
      process.env["PATH"] = path;
    };
  });

  it("is never started", async () => {
    const ready = bench();
    tree(ready.folder, { ...corpus(), "bin/rg": `#!/bin/sh\ntouch '${join(ready.folder, "started")}'\n` });
    chmodSync(join(ready.folder, "bin/rg"), 0o755);
    process.env["PATH"] = join(ready.folder, "bin");
    await ready.call(createGrepTool(), { pattern: "nowhere" });
    expect(existsSync(join(ready.folder, "started"))).toBe(false);
  });
});
