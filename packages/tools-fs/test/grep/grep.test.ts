import { fc, test } from "@fast-check/vitest";
import type { FileSystem, ToolResult } from "@haft/plugin-sdk";
import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const tool = createGrepTool();

type Params = Record<string, unknown>;
type Files = Record<string, string | Uint8Array>;

const search = (files: Files, params: Params) => withFiles(files).call<GrepToolDetails>(tool, params);
const linesOf = async (files: Files, params: Params) =>
  (await search(files, params)).details.matches.map(({ line }) => line);

describe("content that grep cannot search", () => {
  it("explains an invalid pattern", async () => {
    const error = await failure(search({}, { pattern: "foo(" }));
    expect([error.code, error.category]).toEqual(["INVALID_PATTERN", "input"]);
    expect(error.message).toContain("Unterminated group");
    expect(error.fix).toContain("literal=true");
  });

  it.each([
    { pattern: "[[:letter:]]" },
    { pattern: "[[:^alpha:]]" },
    { pattern: "[:alpha:]+" },
    { pattern: "a\nb", literal: true },
    { pattern: "x", glob: "*.{txt" },
  ])("rejects %j", async (params) => {
    expect((await failure(search({ "a.txt": "x\n" }, params))).code).toBe("INVALID_PATTERN");
  });

  it.each([
    ["[[:alpha:]]", [2]],
    ["^[^[:alpha:][:digit:]]", [3, 4]],
    ["[[:punct:]]{2}", [4]],
    ["\\[:|x", [2]],
  ])("accepts the POSIX class %s", async (pattern, lines) => {
    expect(await linesOf({ "a.txt": "1\nx\n:\n~]\n" }, { pattern })).toEqual(lines);
  });

  it("excludes files with a negated glob, and accepts a glob with the whole path", async () => {
    const { folder, call } = withFiles({ "a.txt": "x\n", "a.md": "x\n", "b/c.txt": "x\n" });
    const files = async (glob: string) =>
      (await call<GrepToolDetails>(tool, { pattern: "x", glob })).details.matches.map(({ path }) => path);
    expect(await files("!*.txt")).toEqual(["a.md"]);
    expect(await files(`${folder}/b/*`)).toEqual(["b/c.txt"]);
  });

  const endless = { "a.txt": `${"a".repeat(5000)}!\n` };

  it("stops a pattern with exponential time and remains usable", async () => {
    const { call } = withFiles(endless);
    const quick = createGrepTool({ deadlineMs: 200 });
    const error = await failure(call(quick, { pattern: "^(a+)+$" }));
    expect([error.code, error.category]).toEqual(["PATTERN_TOO_SLOW", "input"]);
    expect(texts(await call(quick, { pattern: "a{5}!" }))[1]).toBe("[1 match in 1 file.]");
  });

  it("stops such a pattern if the call is aborted", async () => {
    const { workspace } = withFiles(endless);
    const context = { workspace, model: { contextTokens: 1 } } as never;
    const run = tool.execute("1", { pattern: "^(a+)+$" }, AbortSignal.timeout(200), undefined, context);
    await expect(run).rejects.toThrow(/timeout/i);
  });

  it("searches text with damaged characters, and no binary files or links", async () => {
    const { folder, call } = withFiles({
      "a.bin": "needle\0\n",
      "b.txt": Buffer.concat([Buffer.from("needle é"), Buffer.from([0xe9, 10])]),
      "c.txt": Buffer.from("\ufeffneedle \ud83d\n", "utf16le"),
    });
    symlinkSync("/etc", join(folder, "etc"));
    expect(texts(await call(tool, { pattern: "needle" }))).toEqual([
      "b.txt\n1:needle é\ufffd\n\nc.txt\n1:needle \ufffd",
      "[2 matches in 2 files.]",
    ]);
    const none = await call<GrepToolDetails>(tool, { pattern: "^root:", filesOnly: true });
    expect(texts(none)[0]).toContain("[1 file was not searched (1 binary).]");
    expect(texts(none)[0]).toContain("1 link not followed: etc");
    const { details } = none;
    const skipped = { hardLinked: 0, notUtf8: 0, binary: 1, unreadable: 0, longLine: 0, noTime: 0 };
    expect([details.matches, details.skipped]).toEqual([[], skipped]);
    const [binary] = texts(await call(tool, { pattern: "needle", path: "a.bin" }));
    expect(binary).toContain("[1 file was not searched (1 binary).]");
  });

  it("counts unreadable files, and gives the reason for a named file", async () => {
    const { folder, call } = withFiles({ "a.txt": "needle\n", ".netrc": "needle\n" });
    linkSync(join(folder, "a.txt"), join(folder, "b.txt"));
    const result = await call<GrepToolDetails>(tool, { pattern: "needle" });
    expect(texts(result)[0]).toContain("[3 files were not searched (2 hard-linked, 1 not readable).]");
    expect(result.details.skipped).toMatchObject({ hardLinked: 2, unreadable: 1 });
    const codeOf = async (path: string) => (await failure(call(tool, { pattern: "needle", path }))).code;
    expect([await codeOf("a.txt"), await codeOf(".netrc")]).toEqual(["HARD_LINKED", "PATH_DENIED"]);
  });

  it("searches a large file with damaged characters", async () => {
    const filler = Buffer.from("nothing here\n".repeat(200_000));
    const bad = Buffer.concat([Buffer.from("needle é"), Buffer.from([0xe9, 10])]);
    const bytes = Buffer.concat([filler, bad, filler, bad, filler, Buffer.from("needle\n")]);
    const { details } = await search({ "big.log": bytes }, { pattern: "needle" });
    expect(details.matches.map(({ line }) => line)).toEqual([200_001, 400_002, 600_003]);
    expect(details.skipped.notUtf8).toBe(0);
  });

  it("explains why a pattern with a line break cannot match", async () => {
    const result = await search({ "a.txt": "a\nb\n" }, { pattern: "a\\nb" });
    expect(texts(result)[0]).toContain("matched within single lines");
  });

  it("suggests similar paths for a missing path", async () => {
    const error = await failure(search({ "main.ts": "" }, { pattern: "x", path: "mian.ts" }));
    expect(error.fix).toBe("Did you mean main.ts?");
  });
});

describe("grep", () => {
  const files = {
    "a.txt": "one\ntwo needle\nthree\nfour\nfive needle needle\nsix\n",
    "b/c.txt": "\ufeffneedle first\r\nNEEDLE\r\nlast needle",
  };

  it("lists lines by file", async () => {
    const result = await search(files, { pattern: "needle" });
    expect(texts(result)).toEqual([
      "a.txt\n2:two needle\n5:five needle needle\n\nb/c.txt\n1:needle first\n3:last needle",
      "[4 matches in 2 files.]",
    ]);
    expect(result.details.matches[2]).toEqual({ path: "b/c.txt", line: 1, text: "needle first" });
  });

  it("shows overlapping context only once", async () => {
    const result = await search({ "a.txt": "1\n2\nX\n4\nX\n6\n7\n8\n9\nX\n" }, { pattern: "X", context: 1 });
    expect(texts(result)[0]).toBe("a.txt\n2-2\n3:X\n4-4\n5:X\n6-6\n--\n9-9\n10:X");
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
  ] as const)("interprets %j as intended", async (params, expected) => {
    const { details } = await search(files, params);
    expect(details.matches.map(({ path, line }) => `${path}:${line}`)).toEqual(expected);
  });

  it.each(["interface{}", "a\\-b"])("accepts %s, which needs lenient parsing", async (pattern) => {
    expect(await linesOf({ "a.go": "var x interface{} = a-b\n" }, { pattern })).toEqual([1]);
  });

  it("cuts long lines around the match", async () => {
    const line = `${"x".repeat(5000)}needle${"y".repeat(5000)}\n`;
    const [match] = (await search({ "a.min.js": line }, { pattern: "needle" })).details.matches;
    expect(match?.text).toMatch(/^…x+needley+…$/);
    expect(match?.text.length).toBeLessThanOrEqual(302);
  });

  it("finds lines of a large file by number, with context across its pieces", async () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i + 1} of the large file`);
    const params = { pattern: "^line \\d*7777 ", context: 3, limit: 500 };
    const result = await search({ "big.log": `${lines.join("\n")}\n` }, params);
    const numbers = result.details.matches.map(({ line }) => line);
    expect(numbers).toEqual(lines.flatMap((_, i) => (String(i + 1).endsWith("7777") ? [i + 1] : [])));
    const [text] = texts(result);
    for (const near of numbers.flatMap((line) => [-3, -2, -1, 1, 2, 3].map((by) => line + by)))
      expect(text).toContain(`${near}-line ${near} of`);
  });

  it.each(["", "x"])(
    "searches the beginning of an endless line and continues after it: %j",
    async (before) => {
      // Of two bytes each, so that a cut can fall into a character.
      const content = `needle${before}${"ü".repeat(1_500_000)}needle\nneedle\n`;
      const { details } = await search({ "a.json": content }, { pattern: "needle" });
      expect(details.matches.map(({ line }) => line)).toEqual([1, 2]);
      expect(details.skipped).toMatchObject({ longLine: 1, notUtf8: 0 });
    },
  );

  it("does not read the rest of a large file after enough matches", async () => {
    let bytes = 0;
    const wrap = (fs: FileSystem): FileSystem => ({
      ...fs,
      read: async (path, options) => {
        const result = await fs.read(path, options);
        bytes += result.bytes.length;
        return result;
      },
    });
    const { call } = withFiles({ "big.log": "needle\n".repeat(2_000_000) }, { wrap });
    const { details } = await call<GrepToolDetails>(tool, { pattern: "needle", limit: 3 });
    expect(details).toMatchObject({ truncated: true, continuation: { after: "big.log:3" } });
    expect(bytes).toBeLessThan(3 * 1024 * 1024);
  });
});

const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "漢"), maxLength: 6 });
const content = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const files = fc.dictionary(fc.constantFrom("a", "b.txt", "c/d", "c/e", "f/g/h"), content);

test.prop([files, fc.integer({ min: 1, max: 4 }), fc.constantFrom("a", "b.*a", "é|漢", "^$", "^a")], {
  numRuns: scaleRuns(80, 4),
})("returns pages that together equal the search", async (input, limit, pattern) => {
  const { call } = withFiles(input);
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
