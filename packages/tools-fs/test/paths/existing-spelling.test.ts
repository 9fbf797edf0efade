import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FindToolDetails } from "../../src/find/find-steps.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import { read, write, edit, patch, ls, find, grep, toPatchInput } from "../support/every-tool.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const COMPOSED = "r\u00e9sum\u00e9.txt";
const DECOMPOSED = COMPOSED.normalize("NFD");

describe.each([
  ["composed", DECOMPOSED, COMPOSED],
  ["decomposed", COMPOSED, DECOMPOSED],
])("a file named by its %s name", (_, there, asked) => {
  const open = () => {
    const ready = withFiles({ [`caf\u00e9/${there}`]: "old\n" });
    // The folder's name is in one form, and asked for in the other.
    return {
      ...ready,
      path: `${"caf\u00e9".normalize("NFD")}/${asked}`,
      folder: join(ready.folder, "caf\u00e9"),
    };
  };

  it("is the existing file for write, edit and patches", async () => {
    const { call, folder, path } = open();
    await call(edit, { path, oldText: "old", newText: "edited" });
    expect(readFileSync(join(folder, there), "utf8")).toBe("edited\n");
    await call(write, { path, content: "written\n" });
    expect(readFileSync(join(folder, there), "utf8")).toBe("written\n");
    await call(patch, toPatchInput(`*** Update File: ${path}`, "-written", "+patched"));
    expect(readFileSync(join(folder, there), "utf8")).toBe("patched\n");
    expect(readdirSync(folder)).toEqual([there]);
    expect(readdirSync(join(folder, ".."))).toEqual(["caf\u00e9"]);
    const added = await failure(call(patch, toPatchInput(`*** Add File: ${path}`, "+twin")));
    expect(added.message).toContain("already");
    await call(patch, toPatchInput(`*** Delete File: ${path}`));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is the existing file for read, ls, find and grep, by path and by glob", async () => {
    const { call, path } = open();
    const above = path.slice(0, path.indexOf("/"));
    const here = `caf\u00e9/${there}`;
    expect(texts(await call(read, { path }))[0]).toBe("old\n");
    expect(texts(await call(ls, { path: above }))).toEqual([there]);
    for (const params of [{ path: above, pattern: "*" }, { pattern: path }, { pattern: `**/${asked}` }])
      expect((await call<FindToolDetails>(find, params)).details.paths).toEqual([here]);
    for (const params of [{ path: above }, { path }, { glob: path }]) {
      const { details } = await call<GrepToolDetails>(grep, { ...params, pattern: "old" });
      expect(details.matches.map((match) => match.path)).toEqual([here]);
    }
  });

  it("gets the new name if it is moved to it", async () => {
    const { call, folder, path } = open();
    await call(patch, toPatchInput(`*** Move File: caf\u00e9/${there} -> ${path}`));
    expect(readdirSync(folder)).toEqual([asked]);
  });
});

it("distinguishes names with several forms in changes", async () => {
  const { call, folder } = withFiles({ [COMPOSED]: "1\n", [DECOMPOSED]: "2\n" });
  await call(edit, { path: DECOMPOSED, oldText: "2", newText: "3" });
  expect(readFileSync(join(folder, DECOMPOSED), "utf8")).toBe("3\n");
  const mixed = "r\u00e9sume\u0301.txt";
  const error = await failure(call(write, { path: mixed, content: "" }));
  expect(error).toMatchObject({ code: "AMBIGUOUS_PATH", receipt: "none" });
  expect(error.fix).toContain(String.raw`"re\u0301sume\u0301.txt"`);
  expect(error.fix).toContain(String.raw`"r\u00e9sum\u00e9.txt"`);
  expect(readdirSync(folder)).toHaveLength(2);
});

it("distinguishes names with several forms in lookups", async () => {
  const { call } = withFiles({ [`${COMPOSED}/a`]: "x\n", [`${DECOMPOSED}/b`]: "x\n" });
  const path = "r\u00e9sume\u0301.txt";
  for (const tool of [read, ls, find, grep]) {
    const error = await failure(call(tool, { path, pattern: "x" }));
    expect(error.code).toBe("AMBIGUOUS_PATH");
    expect(error.fix).toContain(String.raw`"re\u0301sume\u0301.txt"`);
  }
  expect(texts(await call(ls, { path: DECOMPOSED }))).toEqual(["b"]);
});

it("shows the code points of a suggestion that looks like the requested name", async () => {
  const { call, folder } = withFiles({ "it\u2019s.txt": "" });
  const error = await failure(call(edit, { path: "it's.txt", oldText: "a", newText: "b" }));
  expect(error.fix).toBe(String.raw`Did you mean "it\u2019s.txt"?`);
  writeFileSync(join(folder, "file"), "");
  const listed = await failure(call(ls, { path: "file" }));
  expect(listed.message).toBe("file is a file, not a directory.");
});

it("accepts a name with a tab and displays it", async () => {
  const { call, folder } = withFiles({ "a\tb.txt": "1\n" });
  expect(texts(await call(ls, {}))[0]).toBe(String.raw`"a\tb.txt"`);
  expect(texts(await call(read, { path: "a\tb.txt" }))[0]).toBe("1\n");
  await call(edit, { path: "a\tb.txt", oldText: "1", newText: "2" });
  expect(readFileSync(join(folder, "a\tb.txt"), "utf8")).toBe("2\n");
  expect((await failure(call(read, { path: "a\nb.txt" }))).code).toBe("INVALID_PATH");
});
