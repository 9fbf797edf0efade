import type { FileSystem } from "@haft/plugin-sdk";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { FindToolDetails } from "../../src/find/find-steps.ts";
import { createFindTool } from "../../src/find/find.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { bench, failure, texts } from "../support/tool-context.ts";
import { tree } from "../support/tree.ts";

const quickFind = createFindTool({ lookupMs: 150 });
const quickGrep = createGrepTool({ lookupMs: 150 });

/** Two folders and a file in every folder, all the way down. */
const endlessFolders = (fs: FileSystem): FileSystem => ({
  ...fs,
  scan: async () => undefined,
  list: async () => ({
    entries: [
      { name: "a", type: "directory" },
      { name: "b", type: "directory" },
      { name: "x.txt", type: "file" },
    ],
    truncated: false,
  }),
  read: (path, options) => fs.read(path.endsWith("x.txt") ? "x.txt" : path, options),
});

/** Whatever is read is the beginning of an endless file. */
const endlessFiles =
  (content: string) =>
  (fs: FileSystem): FileSystem => ({
    ...fs,
    async read(path, { length = 0, into = Buffer.alloc(length) } = {}) {
      const { stat } = await fs.read(path, { length: 0 });
      const bytes = Buffer.from(into.buffer, into.byteOffset, into.length).fill(content);
      return { bytes, stat: { ...stat, size: Number.MAX_SAFE_INTEGER } };
    },
  });

/** Takes its time for every folder, and never answers about those called `closed`. */
const slow = (fs: FileSystem): FileSystem => ({
  ...fs,
  scan: async () => undefined,
  async list(path, options) {
    if (path.endsWith("closed")) return new Promise<never>(() => {});
    await sleep(10);
    return fs.list(path, options);
  },
});

describe("a lookup that would take too long", () => {
  it("ends in an endless tree and reports its progress", async () => {
    const { folder, call } = bench({ wrap: endlessFolders });
    tree(folder, { "x.txt": "needle\n" });
    const found = await call<FindToolDetails>(quickFind, { pattern: "*.none" });
    expect(found.details).toMatchObject({ paths: [], truncated: true, stopped: true });
    expect(found.details.continuation?.after).toMatch(/^a(?:\/a)*$|^a\/.*$/);
    expect(texts(found)[0]).toMatch(
      /^\[Nothing matches \*\.none in the workspace so far\.\]\n\[Stopped after 0\.15 s: nothing after a/,
    );
    const searched = await call<GrepToolDetails>(quickGrep, { pattern: "other|else" });
    expect(searched.details).toMatchObject({ matches: [], truncated: true, stopped: true });
    expect(searched.details.continuation?.after).toMatch(/^a(?:\/a)*$|^a\/.*$/);
    expect(texts(searched)[0]).toMatch(/ so far\.\]\n\[Stopped after 0\.15 s: nothing after a/);
  });

  it("continues page by page until the end", async () => {
    const { folder, call } = bench({ wrap: slow });
    const paths = Array.from({ length: 24 }, (_, index) => `${String.fromCharCode(97 + index)}/f.txt`);
    tree(folder, Object.fromEntries(paths.map((path) => [path, "needle\n"])));
    for (const [tool, params] of [
      [quickFind, { pattern: "*.txt" }],
      [quickGrep, { pattern: "needle", filesOnly: true }],
    ] as const) {
      const seen: string[] = [];
      let next: { after?: string } | undefined = {};
      let pages = 0;
      for (; next !== undefined; pages += 1) {
        const { details }: { details: FindToolDetails | GrepToolDetails } = await call(tool, {
          ...params,
          ...next,
        });
        seen.push(...("paths" in details ? details.paths : details.matches.map(({ path }) => path)));
        expect(details.truncated).toBe(details.stopped === true);
        next = details.continuation;
      }
      expect(seen).toEqual(paths);
      expect(pages).toBeGreaterThan(1);
    }
  });

  it("waits for an unresponsive folder until its time ends, and keeps its results", async () => {
    const { folder, call } = bench({ wrap: slow });
    tree(folder, { "a.txt": "needle\n", "closed/b.txt": "needle\n" });
    // Beside busy processes time may be up a moment earlier.
    const place = expect.stringMatching(/^(?:a\.txt|closed)$/) as string;
    const { details } = await call<FindToolDetails>(quickFind, { pattern: "*.txt" });
    expect(details).toMatchObject({ paths: ["a.txt"], stopped: true, continuation: { after: place } });
    const error = await failure(call(quickFind, { pattern: "*.txt", path: "closed" }));
    expect(error).toMatchObject({ code: "LOOKUP_TOO_SLOW", category: "operational" });
    expect(error.message).toBe("closed could not be listed within 0.15 s, so nothing was searched.");
    const searched = await call<GrepToolDetails>(quickGrep, { pattern: "needle" });
    expect(searched.details).toMatchObject({ files: 1, stopped: true, continuation: { after: place } });
  });

  it("stops immediately after an abort", async () => {
    const { folder, workspace } = bench({ wrap: slow });
    tree(folder, { "closed/b.txt": "" });
    const context = { workspace, model: { contextTokens: 1 } } as never;
    for (const tool of [createFindTool(), createGrepTool()]) {
      const aborting = new AbortController();
      const run = tool.execute("1", { pattern: "b" }, aborting.signal, undefined, context);
      setTimeout(() => aborting.abort(new Error("not wanted")), 30);
      await expect(run).rejects.toThrow("not wanted");
    }
  });

  it.each([
    ["lines", "nothing\n"],
    ["a line", "nothing "],
  ])("does not read an endless file of %s to its end, and reports it", async (_, content) => {
    const { folder, call } = bench({ wrap: endlessFiles(content) });
    tree(folder, { "a.log": "", "b.log": "" });
    const one = await call<GrepToolDetails>(quickGrep, { pattern: "needle", path: "a.log" });
    expect(one.details).toMatchObject({ matches: [], stopped: true, skipped: { noTime: 1 } });
    expect(one.details.continuation).toBeUndefined();
    expect(texts(one)[0]).toContain("not to its end, because the time ended");
    const both = await call<GrepToolDetails>(quickGrep, { pattern: "needle" });
    expect(both.details).toMatchObject({ skipped: { noTime: 1 }, continuation: { after: "a.log" } });
  });
});
