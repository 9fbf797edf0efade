import type { FileSystem } from "@haft/core";
import { createHash } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReadTextDetails } from "../../src/read/read-result.ts";
import { createReadTool } from "../../src/read/read.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const tool = createReadTool();
type Files = Record<string, string>;

const read = (files: Files, params: object, options?: Parameters<typeof withFiles>[1]) =>
  withFiles(files, options).call<ReadTextDetails>(tool, { path: "a.txt", ...params });

describe("reading without content", () => {
  it.each([
    ["READNE.md", "FILE_NOT_FOUND", { fix: "Did you mean README.md?", category: "input" }],
    ["file-", "FILE_NOT_FOUND", { details: { suggestions: ["file-a", "file-b", "file-c"] } }],
    [
      "source/deep/main.ts",
      "FILE_NOT_FOUND",
      {
        message: "File not found: source/deep/main.ts (source does not exist).",
        fix: "Did you mean sources/deep/main.ts?",
      },
    ],
    ["sources", "IS_DIRECTORY", { message: "sources is a directory; it contains a.txt, sub/." }],
  ])("%s fails with %s and suggestions", async (path, code, expected) => {
    const near = {
      "README.md": "",
      "readmore.txt": "",
      "main.ts": "",
      "sources/a.txt": "",
      "sources/sub/b": "",
    };
    const files = { ...near, "file-a": "", "file-b": "", "file-c": "", "file-d": "" };
    expect(await failure(read(files, { path }))).toMatchObject({ code, ...expected });
  });

  it("accepts a missing file that is optional", async () => {
    const result = await read({}, { path: "notes.md", optional: true });
    expect(result.details).toEqual({ kind: "not_found", path: "notes.md", optional: true });
    expect(texts(result)).toEqual(["[File not found: notes.md. It was optional.]"]);
  });

  it("lists only twenty entries of a large directory", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, ""]));
    const error = await failure(read(files, { path: "." }));
    expect(error.message).toMatch(/, … \(30 entries\)\.$/);
    expect(error.details?.["entries"]).toHaveLength(20);
  });

  it("reports an empty file", async () => {
    const result = await read({ "a.txt": "" }, {});
    expect(texts(result)).toEqual(["[The file is empty.]"]);
    expect(result.details).toMatchObject({ lines: 0, size: 0, truncated: false });
  });

  it("reports a blank file", async () => {
    const [shown, note] = texts(await read({ "a.txt": "\n  \n\t\n" }, {}));
    expect(shown).toBe("\n  \n\t\n");
    expect(note).toBe("[Only blank space here: 3 of 3 lines, 6 bytes in the file.]");
  });

  it.each([
    ["one\ntwo\n", 3, "2 lines"],
    ["one\ntwo", 3, "2 lines"],
    ["one", 2, "1 line"],
    ["one\n", 1_000_000, "1 line"],
  ])("explains an offset past the end of %j", async (content, offset, lines) => {
    const result = await read({ "a.txt": content }, { offset });
    expect(texts(result)).toEqual([`[Nothing at offset=${offset}: the file has ${lines}.]`]);
  });

  it("explains an offset past the end of a large file, the second time from its index", async () => {
    const { call } = withFiles({ "a.txt": "line\n".repeat(200_000) });
    for (let turn = 0; turn < 2; turn += 1) {
      const result = await call<ReadTextDetails>(tool, { path: "a.txt", offset: 200_001 });
      expect(texts(result)).toEqual(["[Nothing at offset=200001: the file has 200000 lines.]"]);
      expect(result.details.lines).toBe(200_000);
    }
  });
});

describe("reading a name that only looks different", () => {
  it.each([
    ["composed and decomposed letters", "cafe\u0301.txt", "caf\u00e9.txt"],
    ["curly and straight quotes", "it\u2019s.txt", "it's.txt"],
    ["double quotes", "\u201ca\u201d.txt", '"a".txt'],
    ["a narrow no-break space", "at 3\u202fPM.txt", "at 3 PM.txt"],
  ])("uses the only candidate: %s", async (_, onDisk, asked) => {
    const { call } = withFiles({ [onDisk]: "found\n" });
    const result = await call<ReadTextDetails>(tool, { path: asked });
    expect(texts(result)).toEqual([
      "found\n",
      `[${asked} does not exist; this is ${onDisk}, whose name looks the same.]`,
    ]);
    expect(result.details.path).toBe(onDisk);
  });

  it("does not choose between two candidates", async () => {
    const error = await failure(read({ "it\u2019s.txt": "", "it\u2018s.txt": "" }, { path: "it's.txt" }));
    expect(error.code).toBe("AMBIGUOUS_PATH");
    expect(error.fix).toContain(String.raw`"it\u2019s.txt"`);
    expect(error.fix).toContain(String.raw`"it\u2018s.txt"`);
  });
});

describe("reading text", () => {
  it("returns the exact text without byte order mark and carriage returns", async () => {
    const content = "\ufefffirst\r\nsecond\rstill second\r\n";
    const result = await read({ "a.ts": content }, { path: "a.ts" });
    expect(result.content).toEqual([{ type: "text", text: "first\nsecond\rstill second\n", language: "ts" }]);
    expect(result.details).toMatchObject({
      kind: "text",
      path: "a.ts",
      lines: 2,
      truncated: false,
      size: Buffer.byteLength(content),
      encoding: "utf-8-bom",
      hash: createHash("sha256").update(content).digest("hex"),
    });
  });

  it("respects offset and limit, and names the continuation", async () => {
    const result = await read({ "a.txt": "1\n2\n3\n4\n5\n" }, { offset: 2, limit: 2 });
    expect(texts(result)).toEqual(["2\n3\n", "[Showing lines 2-3 of 5. Use offset=4 to continue.]"]);
    const lines = { totalLines: 5, outputLines: 2, maxLines: 2, lastLinePartial: false };
    expect(result.details).toMatchObject({
      truncated: true,
      continuation: { kind: "line", offset: 4, limit: 2 },
      truncation: { truncatedBy: "lines", ...lines },
    });
    expect(result.details).not.toHaveProperty("hash");
  });

  it("is not truncated if the limit ends with the file", async () => {
    const result = await read({ "a.txt": "1\n2\n" }, { limit: 2 });
    expect(texts(result)).toEqual(["1\n2\n"]);
    expect(result.details.truncated).toBe(false);
  });

  it.each([
    [1_000, 32],
    [100_000, 40],
    [1_000_000, 128],
  ])("derives its budget from a context of %d tokens", async (contextTokens, kilobytes) => {
    const files = { "a.txt": "0123456789 123456789\n".repeat(20_000) };
    const result = await read(files, {}, { model: { contextTokens } });
    const budget = result.details.truncation?.maxBytes ?? 0;
    expect(Math.ceil(budget / 1024)).toBe(kilobytes);
    const bytes = texts(result).reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    expect(bytes).toBeLessThanOrEqual(budget);
    expect(bytes).toBeGreaterThan(budget - 512);
    expect(texts(result)[1]).toContain("Read output capped at");
  });

  it("continues inside a line that is longer than a page", async () => {
    const { call } = withFiles({ "a.txt": `${"x".repeat(50_000)}\nend` });
    const first = await call<ReadTextDetails>(tool, { path: "a.txt" });
    const { cursor = 0 } = first.details.continuation ?? {};
    expect(first.details.continuation).toEqual({ kind: "cursor", offset: 1, cursor });
    const rest = await call<ReadTextDetails>(tool, { path: "a.txt", offset: 1, cursor });
    expect(texts(rest)).toEqual([`${"x".repeat(50_000 - cursor)}\nend`]);
  });

  it.each([
    ["inside a surrogate pair", "ab😀cd\n", { cursor: 3 }, { fix: "Use cursor=2 or cursor=4." }],
    [
      "past the end of its line",
      "ab\ncd\n",
      { offset: 2, cursor: 3 },
      { message: expect.stringContaining("2 characters") },
    ],
  ])("rejects a cursor %s", async (_, content, params, expected) => {
    const error = await failure(read({ "a.txt": content }, params));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENTS", ...expected });
  });

  it("continues after a surrogate pair", async () => {
    expect(texts(await read({ "a.txt": "ab😀cd\n" }, { cursor: 4 }))).toEqual(["cd\n"]);
  });

  it("does not use an outdated index of a changed file", async () => {
    const { folder, call } = withFiles({ "a.log": "old line\n".repeat(100_000) });
    await call(tool, { path: "a.log", offset: 50_000 });
    writeFileSync(join(folder, "a.log"), "a\n".repeat(300_000));
    const result = await call<ReadTextDetails>(tool, { path: "a.log", offset: 299_999, limit: 1 });
    expect(texts(result)[0]).toBe("a\n");
    expect(result.details.lines).toBe(300_000);
  });

  it("reads a file that grows during every read", async () => {
    const grown: { path?: string } = {};
    const wrap = (fs: FileSystem): FileSystem => ({
      ...fs,
      read: async (...args) => {
        if (grown.path !== undefined) appendFileSync(grown.path, "more\n");
        return fs.read(...args);
      },
    });
    const { folder, call } = withFiles({ "a.log": "line\n".repeat(2_000_000) }, { wrap });
    grown.path = join(folder, "a.log");
    const result = await call<ReadTextDetails>(tool, { path: "a.log", offset: 1_999_999, limit: 1 });
    expect(texts(result)[0]).toBe("line\n");
    const note = "[The file changed while it was read: line numbers may have shifted.]";
    expect(texts(result)[1]).toContain(note);
  });

  it("works with a file system that returns small pieces", async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i + 1}\n`);
    const wrap = (fs: FileSystem): FileSystem => ({
      ...fs,
      read: (path, { offset = 0, length = 65_536 } = {}) =>
        fs.read(path, { offset, length: Math.min(length, 65_536) }),
    });
    const result = await read({ "a.txt": lines.join("") }, { offset: 50_000, limit: 2 }, { wrap });
    expect(texts(result)[0]).toBe("line 50000\nline 50001\n");
    expect(result.details.lines).toBe(60_000);
  });

  it("stops if the call is aborted", async () => {
    const { workspace } = withFiles({ "a.txt": "x\n" });
    const context = { workspace, model: { name: "", contextTokens: 1, images: true } };
    const run = tool.execute("1", { path: "a.txt" }, AbortSignal.abort(), undefined, context as never);
    await expect(run).rejects.toThrow(/abort/i);
  });
});
