import { fc, test } from "@fast-check/vitest";
import type { ToolResult } from "@haft/plugin-sdk";
import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runsOf } from "../../../../test/support/share.ts";
import type { GrepToolDetails } from "../../src/grep/grep-schema.ts";
import { createGrepTool } from "../../src/grep/grep-tool.ts";
import { bench, failure, texts } from "../support/tool-context.ts";
import { tree } from "../support/tree.ts";

const tool = createGrepTool({ ripgrep: false });

describe("grep, of what cannot be searched", () => {
  it("explains a pattern that is none", async () => {
    const error = await failure(bench().call(tool, { pattern: "foo(" }));
    expect([error.code, error.category]).toEqual(["INVALID_PATTERN", "input"]);
    expect(error.message).toContain("Unterminated group");
    expect(error.fix).toContain("literal=true");
  });

  it("knows the classes of POSIX, and says so of those there are not", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.txt": "1\nx\n:\n~]\n" });
    const lines = async (pattern: string) =>
      (await call<GrepToolDetails>(tool, { pattern })).details.matches.map(({ line }) => line);
    expect(await lines("[[:alpha:]]")).toEqual([2]);
    expect(await lines("^[^[:alpha:][:digit:]]")).toEqual([3, 4]);
    expect(await lines("[[:punct:]]{2}")).toEqual([4]);
    expect(await lines("\\[:|x")).toEqual([2]);
    for (const pattern of ["[[:letter:]]", "[[:^alpha:]]", "[:alpha:]+"])
      expect((await failure(call(tool, { pattern }))).code).toBe("INVALID_PATTERN");
  });

  it("leaves out what a glob with a ! names, and refuses one that is none", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.txt": "x\n", "a.md": "x\n", "b/c.txt": "x\n" });
    const files = async (glob: string) =>
      (await call<GrepToolDetails>(tool, { pattern: "x", glob })).details.matches.map(({ path }) => path);
    expect(await files("!*.txt")).toEqual(["a.md"]);
    expect(await files(`${folder}/b/*`)).toEqual(["b/c.txt"]);
    expect((await failure(files("*.{txt"))).code).toBe("INVALID_PATTERN");
  });

  it("refuses a pattern over several lines", async () => {
    expect((await failure(bench().call(tool, { pattern: "a\nb", literal: true }))).code).toBe(
      "INVALID_PATTERN",
    );
  });

  it("stops a pattern that would never end, and works on", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.txt": `${"a".repeat(5000)}!\n` });
    const quick = createGrepTool({ ripgrep: false, deadlineMs: 200 });
    const error = await failure(call(quick, { pattern: "^(a+)+$" }));
    expect([error.code, error.category]).toEqual(["PATTERN_TOO_SLOW", "input"]);
    expect(texts(await call(quick, { pattern: "a{5}!" }))[1]).toBe("[1 match in 1 file.]");
  });

  it("stops such a pattern when the call is aborted", async () => {
    const { folder, workspace } = bench();
    tree(folder, { "a.txt": `${"a".repeat(5000)}!\n` });
    const context = { workspace, model: { contextTokens: 1 } } as never;
    const run = tool.execute("1", { pattern: "^(a+)+$" }, AbortSignal.timeout(200), undefined, context);
    await expect(run).rejects.toThrow(/timeout/i);
  });

  it("has no matches in binary files and behind links, nor in other encodings, which it says", async () => {
    const { folder, call } = bench();
    tree(folder, {
      "a.bin": "needle\0\n",
      "b.txt": Buffer.concat([Buffer.from("needle é"), Buffer.from([0xe9, 10])]),
      "c.txt": Buffer.from("\ufeffneedle \ud83d\n", "utf16le"),
    });
    symlinkSync("/etc", join(folder, "etc"));
    expect(texts(await call(tool, { pattern: "needle" }))).toEqual([
      '[No match for "needle" in the workspace.]\n[2 files were not searched (2 text in an encoding that is not known).]',
    ]);
    const { details } = await call<GrepToolDetails>(tool, { pattern: "^root:", filesOnly: true });
    expect(details.matches).toEqual([]);
    expect(details.skipped).toEqual({
      hardLinked: 0,
      notUtf8: 2,
      binary: 1,
      unreadable: 0,
      longLine: 0,
      noTime: 0,
    });
    expect(texts(await call(tool, { pattern: "needle", path: "a.bin" }))[0]).toContain(
      "[1 file was not searched (1 binary).]",
    );
  });

  it("says how many files it may not read, and of one asked for by name, why", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.txt": "needle\n", ".netrc": "needle\n" });
    linkSync(join(folder, "a.txt"), join(folder, "b.txt"));
    const result = await call<GrepToolDetails>(tool, { pattern: "needle" });
    expect(texts(result)[0]).toContain("[3 files were not searched (2 hard-linked, 1 not readable).]");
    expect(result.details.skipped).toMatchObject({ hardLinked: 2, unreadable: 1 });
    const codes = ["a.txt", ".netrc"].map(
      async (path) => (await failure(call(tool, { pattern: "needle", path }))).code,
    );
    expect(await Promise.all(codes)).toEqual(["HARD_LINKED", "PATH_DENIED"]);
  });

  it("says so once of a large file that is partly in another encoding, and searches the rest", async () => {
    const { folder, call } = bench();
    const filler = Buffer.from("nothing here\n".repeat(200_000));
    const bad = Buffer.concat([Buffer.from("needle é"), Buffer.from([0xe9, 10])]);
    tree(folder, { "big.log": Buffer.concat([filler, bad, filler, bad, filler, Buffer.from("needle\n")]) });
    const { details } = await call<GrepToolDetails>(tool, { pattern: "needle" });
    expect(details.matches.map(({ line }) => line)).toEqual([600_003]);
    expect(details.skipped.notUtf8).toBe(1);
  });

  it("says why a pattern with a line break in it cannot match", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.txt": "a\nb\n" });
    expect(texts(await call(tool, { pattern: "a\\nb" }))[0]).toContain("matched within single lines");
  });

  it("names near places for a missing path", async () => {
    const { folder, call } = bench();
    tree(folder, { "main.ts": "" });
    expect((await failure(call(tool, { pattern: "x", path: "mian.ts" }))).fix).toBe("Did you mean main.ts?");
  });
});

describe("grep", () => {
  const files = {
    "a.txt": "one\ntwo needle\nthree\nfour\nfive needle needle\nsix\n",
    "b/c.txt": "\ufeffneedle first\r\nNEEDLE\r\nlast needle",
  };

  it("answers lines by file", async () => {
    const { folder, call } = bench();
    tree(folder, files);
    const result = await call<GrepToolDetails>(tool, { pattern: "needle" });
    expect(texts(result)).toEqual([
      "a.txt\n2:two needle\n5:five needle needle\n\nb/c.txt\n1:needle first\n3:last needle",
      "[4 matches in 2 files.]",
    ]);
    expect(result.details.matches[2]).toEqual({ path: "b/c.txt", line: 1, text: "needle first" });
  });

  it("shows context, once where it overlaps", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.txt": "1\n2\nX\n4\nX\n6\n7\n8\n9\nX\n" });
    expect(texts(await call(tool, { pattern: "X", context: 1 }))[0]).toBe(
      "a.txt\n2-2\n3:X\n4-4\n5:X\n6-6\n--\n9-9\n10:X",
    );
  });

  it.each([
    [{ pattern: "^needle" }, ["b/c.txt:1"]],
    [{ pattern: "first$" }, ["b/c.txt:1"]],
    [{ pattern: "NEEDLE" }, ["b/c.txt:2"]],
    [{ pattern: "^NEEDLE$", ignoreCase: true }, ["b/c.txt:2"]],
    [{ pattern: "(?i)^needle$" }, ["b/c.txt:2"]],
    [{ pattern: "n.e[d]+le", glob: "*.txt", path: "b" }, ["b/c.txt:1", "b/c.txt:3"]],
    [{ pattern: "needle", glob: "b/**" }, ["b/c.txt:1", "b/c.txt:3"]],
    [{ pattern: "needle", path: "a.txt" }, ["a.txt:2", "a.txt:5"]],
    [{ pattern: "needle", maxPerFile: 1 }, ["a.txt:2", "b/c.txt:1"]],
    [{ pattern: "needle", filesOnly: true }, ["a.txt:2", "b/c.txt:1"]],
    [{ pattern: "e(?=d)" }, ["a.txt:2", "a.txt:5", "b/c.txt:1", "b/c.txt:3"]],
    [{ pattern: ".", literal: true }, []],
    [{ pattern: "interface{}" }, []],
  ] as const)("finds what is meant by %j", async (params, expected) => {
    const { folder, call } = bench();
    tree(folder, files);
    const { details } = await call<GrepToolDetails>(tool, params);
    expect(details.matches.map(({ path, line }) => `${path}:${line}`)).toEqual(expected);
  });

  it("takes patterns that only a lenient reading allows", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.go": "var x interface{} = a-b\n" });
    expect((await call<GrepToolDetails>(tool, { pattern: "interface{}" })).details.matches).toHaveLength(1);
    expect((await call<GrepToolDetails>(tool, { pattern: "a\\-b" })).details.matches).toHaveLength(1);
  });

  it("clips long lines around the match", async () => {
    const { folder, call } = bench();
    tree(folder, { "a.min.js": `${"x".repeat(5000)}needle${"y".repeat(5000)}\n` });
    const [match] = (await call<GrepToolDetails>(tool, { pattern: "needle" })).details.matches;
    expect(match?.text).toMatch(/^…x+needley+…$/);
    expect(match?.text.length).toBeLessThanOrEqual(302);
  });

  it("finds lines of a large file by number, and context across its pieces", async () => {
    const { folder, call } = bench();
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i + 1} of the large file`);
    tree(folder, { "big.log": `${lines.join("\n")}\n` });
    const pattern = "^line \\d*7777 ";
    const { details } = await call<GrepToolDetails>(tool, { pattern, context: 3, limit: 500 });
    expect(details.matches.map(({ line }) => line)).toEqual(
      lines.flatMap((_, i) => (String(i + 1).endsWith("7777") ? [i + 1] : [])),
    );
    const [text] = texts(await call(tool, { pattern, context: 3, limit: 500 }));
    for (const { line } of details.matches) {
      for (const near of [-3, -2, -1, 1, 2, 3])
        expect(text).toContain(`${line + near}-line ${line + near} of`);
    }
  });

  it("searches the beginning of an endless line and goes on after it", async () => {
    const { folder, call } = bench();
    // Of two bytes each, so that a cut can fall into a character.
    for (const before of ["", "x"]) {
      tree(folder, { "a.json": `needle${before}${"ü".repeat(1_500_000)}needle\nneedle\n` });
      const { details } = await call<GrepToolDetails>(tool, { pattern: "needle" });
      expect(details.matches.map(({ line }) => line)).toEqual([1, 2]);
      expect(details.skipped).toMatchObject({ longLine: 1, notUtf8: 0 });
    }
  });

  it("does not read on in a large file whose matches are enough", async () => {
    let bytes = 0;
    const { folder, call } = bench({
      wrap: (fs) => ({
        ...fs,
        read: async (path, options) => {
          const result = await fs.read(path, options);
          bytes += result.bytes.length;
          return result;
        },
      }),
    });
    tree(folder, { "big.log": "needle\n".repeat(2_000_000) });
    const { details } = await call<GrepToolDetails>(tool, { pattern: "needle", limit: 3 });
    expect(details).toMatchObject({ truncated: true, continuation: { after: "big.log:3" } });
    expect(bytes).toBeLessThan(3 * 1024 * 1024);
  });
});

const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "漢"), maxLength: 6 });
const content = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const files = fc.dictionary(fc.constantFrom("a", "b.txt", "c/d", "c/e", "f/g/h"), content);

test.prop([files, fc.integer({ min: 1, max: 4 }), fc.constantFrom("a", "b.*a", "é|漢", "^$", "^a")], {
  numRuns: runsOf(80, 4),
})("the pages of a search are the search", async (input, limit, pattern) => {
  const { folder, call } = bench();
  tree(folder, input);
  const whole = (await call<GrepToolDetails>(tool, { pattern, limit: 5000 })).details.matches;
  const expected = Object.entries(input).flatMap(([path, text]) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .flatMap((one, i) => (text !== "" && new RegExp(pattern, "u").test(one) ? [`${path}:${i + 1}`] : [])),
  );
  expect(whole.map((match) => `${match.path}:${match.line}`).toSorted()).toEqual(expected.toSorted());
  const pages: GrepToolDetails["matches"] = [];
  let next: { after?: string } | undefined = {};
  while (next !== undefined) {
    const { details }: ToolResult<GrepToolDetails> = await call(tool, { pattern, limit, ...next });
    pages.push(...details.matches);
    next = details.continuation;
  }
  expect(pages).toEqual(whole);
});
