import { fc, test } from "@fast-check/vitest";
import type { FileSystem, ToolResult } from "@haft/plugin-sdk";
import { createHostWorkspace } from "@haft/workspace";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { FindToolDetails } from "../../src/find/find-steps.ts";
import { createFindTool } from "../../src/find/find.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { bench, failure, temporaryFolder, texts } from "../support/tool-context.ts";
import type { Bench } from "../support/tool-context.ts";
import { tree, withFiles } from "../support/tree.ts";

const tool = createFindTool();

async function found({ call }: Bench, params: Record<string, unknown>): Promise<string[]> {
  return (await call<FindToolDetails>(tool, params)).details.paths;
}

describe("find", () => {
  it("explains an invalid pattern", async () => {
    const error = await failure(bench().call(tool, { pattern: "[a" }));
    expect([error.code, error.category]).toEqual(["INVALID_PATTERN", "input"]);
  });

  it("reports that nothing matches", async () => {
    const result = await bench().call(tool, { pattern: "*.ts" });
    expect(texts(result)).toEqual(["[Nothing matches *.ts in the workspace.]"]);
  });

  it("does not follow links out of the workspace, or in circles", async () => {
    const ready = bench();
    tree(ready.folder, { "a/b.txt": "" });
    symlinkSync("/etc", join(ready.folder, "etc"));
    symlinkSync("..", join(ready.folder, "a/up"));
    expect(await found(ready, { pattern: "**" })).toEqual(["a/b.txt", "a/up", "etc"]);
    expect(await found(ready, { pattern: "passwd" })).toEqual([]);
  });

  it("matches names at any depth and paths from its start", async () => {
    const ready = bench();
    tree(ready.folder, { "a.ts": "", "src/b.ts": "", "src/deep/c.ts": "", "src/d.js": "" });
    expect(await found(ready, { pattern: "*.ts" })).toEqual(["a.ts", "src/b.ts", "src/deep/c.ts"]);
    expect(await found(ready, { pattern: "*.ts", path: "src" })).toEqual(["src/b.ts", "src/deep/c.ts"]);
    expect(await found(ready, { pattern: "deep/*.ts", path: "src" })).toEqual(["src/deep/c.ts"]);
    expect(await found(ready, { pattern: "*", type: "directory" })).toEqual(["src", "src/deep"]);
    expect(await found(ready, { pattern: "{b,d}.*", type: "any" })).toEqual(["src/b.ts", "src/d.js"]);
  });

  it("accepts a pattern with the absolute path of the workspace or of another root", async () => {
    const ready = bench();
    const { folder, call } = ready;
    tree(folder, { "a.ts": "", "src/b.ts": "", "src/deep/c.ts": "", "[x]/d.ts": "" });
    expect(await found(ready, { pattern: `${folder}/src/**/*.ts` })).toEqual(["src/b.ts", "src/deep/c.ts"]);
    expect(await found(ready, { pattern: `${folder}/*.ts` })).toEqual(["a.ts"]);
    expect(await found(ready, { pattern: `${folder}/[[]x]/*` })).toEqual(["[x]/d.ts"]);
    expect(await found(ready, { pattern: `${folder}/src/*.ts`, path: "src" })).toEqual(["src/b.ts"]);
    expect(await found(ready, { pattern: `!${folder}/src/**` })).toEqual(["[x]/d.ts", "a.ts"]);
    expect(await found(ready, { pattern: "/src/*.ts" })).toEqual(["src/b.ts"]);
    expect(await found(ready, { pattern: "/etc/*" })).toEqual([]);

    const docs = temporaryFolder();
    tree(docs, { "guide/start.md": "", "other.md": "" });
    const roots = { docs: { path: docs, access: "ro" as const } };
    const workspace = createHostWorkspace({ root: folder, roots });
    const two = createFindTool({ workspace });
    const { details } = await call<FindToolDetails>(two, { pattern: `${docs}/guide/*.md` });
    expect(details.paths).toEqual([`${docs}/guide/start.md`]);
  });

  it("skips ignored folders unless the call includes them", async () => {
    const ready = bench();
    tree(ready.folder, {
      ".gitignore": "node_modules/\n*.log\n",
      "node_modules/x/index.js": "",
      "src/.gitignore": "!keep.log\ngenerated.js\n",
      "src/keep.log": "",
      "src/other.log": "",
      "src/generated.js": "",
      ".git/HEAD": "",
    });
    expect(await found(ready, { pattern: "*" })).toEqual([".gitignore", "src/.gitignore", "src/keep.log"]);
    expect(await found(ready, { pattern: "*", path: "src" })).toEqual(["src/.gitignore", "src/keep.log"]);
    const inIgnored = await found(ready, { pattern: "*.js", path: "node_modules" });
    expect(inIgnored).toEqual(["node_modules/x/index.js"]);
    const logs = await found(ready, { pattern: "*.log", includeIgnored: true });
    expect(logs).toEqual(["src/keep.log", "src/other.log"]);
    expect(await found(ready, { pattern: "HEAD", includeIgnored: true })).toEqual([]);
  });

  it("names folders that are too deep or not readable", async () => {
    const { folder, call } = withFiles({ "seen.txt": "" });
    // Deeper than any path can say, so it is put together from two halves.
    const half = Array<string>(10).fill("d".repeat(250)).join("/");
    for (const top of ["upper", "lower"]) mkdirSync(join(folder, top, half), { recursive: true });
    renameSync(join(folder, "lower"), join(folder, "upper", half, "lower"));
    onTestFinished(() => void execFileSync("rm", ["-rf", folder]));
    const result = await call<FindToolDetails>(tool, { pattern: "*.txt" });
    expect(result.details).toMatchObject({ paths: ["seen.txt"], unseen: 1 });
    expect(texts(result)[1]).toBe(`[1 folder too deep to list: upper/${"d".repeat(74)}….]`);
    const search = await call<FindToolDetails>(createGrepTool(), { pattern: "x" });
    expect(search.details.unseen).toBe(1);
    expect(texts(search)[0]).toContain("[1 folder too deep to list: upper/ddd");
  });

  it("ends in an endless folder", async () => {
    const wrap = (fs: FileSystem): FileSystem => ({
      ...fs,
      scan: async () => undefined,
      list: async () => ({ entries: [{ name: "a", type: "directory" }], truncated: false }),
    });
    const result = await bench({ wrap }).call<FindToolDetails>(tool, { pattern: "*.txt" });
    expect(result.details).toMatchObject({ paths: [], unseen: 1 });
    expect(texts(result)[0]).toContain("1 folder too deep to list: a/a/a/");
  });

  it("reads each folder of a deep path once, and no missing file", async () => {
    const spies = (fs: FileSystem) => ({
      list: vi.fn<FileSystem["list"]>(fs.list),
      read: vi.fn<FileSystem["read"]>(fs.read),
      stat: vi.fn<FileSystem["stat"]>(fs.stat),
    });
    let asked!: ReturnType<typeof spies>;
    const { folder, call } = bench({
      wrap: (fs) => ({ ...fs, scan: async () => undefined, ...(asked = spies(fs)) }),
    });
    const depth = 400;
    mkdirSync(join(folder, "d/".repeat(depth)), { recursive: true });
    await call<FindToolDetails>(tool, { pattern: "*.none", type: "any" });
    expect(asked.list).toHaveBeenCalledTimes(depth + 1);
    expect(asked.read.mock.calls.length + asked.stat.mock.calls.length).toBeLessThan(10);
  });

  it("stops if the call is aborted", async () => {
    const { workspace } = withFiles({ a: "" });
    const context = { workspace, model: { contextTokens: 1 } } as never;
    const run = tool.execute("1", { pattern: "*" }, AbortSignal.abort(), undefined, context);
    await expect(run).rejects.toThrow(/abort/i);
  });
});

const name = fc.stringMatching(/^[a-c.\- ]{1,3}$/).filter((value) => !/^\.{1,2}$/.test(value));
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

test.prop([fc.uniqueArray(path, { maxLength: 25 }), fc.integer({ min: 1, max: 5 })], {
  numRuns: scaleRuns(60, 3),
})("returns pages that together equal the search, in one order", async (paths, limit) => {
  const ready = bench();
  for (const one of paths) {
    try {
      tree(ready.folder, { [one]: "" });
    } catch {
      // A file where another path wants a folder: one of them wins.
    }
  }
  const whole = await found(ready, { pattern: "*", type: "any" });
  const pages: string[] = [];
  let next: { after?: string } | undefined = {};
  while (next !== undefined) {
    const params = { pattern: "*", type: "any", limit, ...next };
    const result: ToolResult<FindToolDetails> = await ready.call(tool, params);
    expect(result.details.paths.length).toBeLessThanOrEqual(limit);
    pages.push(...result.details.paths);
    next = result.details.continuation;
  }
  expect(pages).toEqual(whole);
  expect(new Set(pages).size).toBe(pages.length);
});
