import type { ToolResult } from "@haft/plugin-sdk";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LsToolDetails } from "../../src/ls/ls-steps.ts";
import { createLsTool } from "../../src/ls/ls.ts";
import { bench, failure, texts } from "../support/tool-context.ts";
import { tree, withFiles } from "../support/tree.ts";

const tool = createLsTool();

describe("ls", () => {
  it("suggests similar names for a missing directory", async () => {
    const { folder, call } = bench();
    mkdirSync(join(folder, "source"));
    const error = await failure(call(tool, { path: "sources" }));
    expect([error.code, error.fix]).toEqual(["FILE_NOT_FOUND", "Did you mean source?"]);
  });

  it("rejects a file", async () => {
    const { call } = withFiles({ "a.txt": "" });
    expect((await failure(call(tool, { path: "a.txt" }))).code).toBe("NOT_A_DIRECTORY");
  });

  it("reports an empty directory", async () => {
    expect(texts(await bench().call(tool, {}))).toEqual(["[Nothing to list.]"]);
  });

  it("lists directories, links and files by name", async () => {
    const { folder, call } = withFiles({ "b.txt": "", "a/x": "", ".env.example": "", Z: "" });
    symlinkSync("/etc", join(folder, "outside"));
    const result = await call<LsToolDetails>(tool, {});
    expect(texts(result)).toEqual([".env.example\nZ\na/\nb.txt\noutside@"]);
    expect(result.details.entries.at(-1)).toEqual({ name: "outside", type: "symlink" });
  });

  it("keeps a name with a line break on one line", async () => {
    const { folder, call } = bench();
    writeFileSync(join(folder, "a\nb"), "");
    expect(texts(await call(tool, {}))).toEqual(['"a\\nb"']);
  });

  it("omits ignored entries, reports them, and can include them", async () => {
    const { call } = withFiles({
      ".gitignore": "*.log\nbuild/\n",
      "a.log": "",
      "build/out": "",
      ".git/config": "",
      "keep.txt": "",
    });
    const result = await call<LsToolDetails>(tool, {});
    expect(texts(result)).toEqual([
      ".gitignore\nkeep.txt",
      "[2 entries hidden by ignore files; includeIgnored=true shows them.]",
    ]);
    expect(result.details.ignored).toBe(2);
    expect(texts(await call(tool, { includeIgnored: true }))).toEqual([
      ".gitignore\na.log\nbuild/\nkeep.txt",
    ]);
  });

  it("lists an ignored directory that the call names", async () => {
    const { call } = withFiles({
      ".gitignore": "build/\n*.map\n",
      "build/out.js": "",
      "build/out.js.map": "",
    });
    expect(texts(await call(tool, { path: "build" }))[0]).toBe("out.js\nout.js.map");
  });

  it("returns pages that together equal the directory", async () => {
    const { call } = withFiles(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`file ${i}`, ""])));
    const seen: string[] = [];
    const notices: (string | undefined)[] = [];
    let next: { after?: string } | undefined = {};
    while (next !== undefined) {
      const result: ToolResult<LsToolDetails> = await call(tool, { limit: 10, ...next });
      seen.push(...result.details.entries.map(({ name }) => name));
      next = result.details.continuation;
      notices.push(texts(result)[1]);
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `file ${i}`).toSorted());
    expect(notices).toEqual([
      '[Showing 10 of 25 entries. Use after="file 17" to continue.]',
      '[Showing 10 of 15 entries. Use after="file 4" to continue.]',
      undefined,
    ]);
  });

  it("stays within the budget of the model", async () => {
    const { folder, call } = bench({ model: { contextTokens: 1 } });
    tree(folder, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}`.padEnd(200, "x"), ""])));
    const result = await call<LsToolDetails>(tool, {});
    expect(Buffer.byteLength(texts(result).join("\n\n"))).toBeLessThanOrEqual(32 * 1024);
    expect(result.details.truncated).toBe(true);
  });
});
