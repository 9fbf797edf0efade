import { fc, test as property } from "@fast-check/vitest";
import type { AnyTool, CallPlan, PathSubject, Workspace } from "@haft/core";
import { contentToText } from "@haft/core";
import { createHostWorkspace } from "@haft/workspace";
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  createApplyPatchTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
  createWriteTool,
} from "../../src/index.ts";
import { failure, temporaryFolder } from "../support/tool-context.ts";

const signal = new AbortController().signal;

/** A workspace `ws` with `src/a.ts`, the links `link` → `src` and `alias.ts` → `src/a.ts`, and a root `docs`. */
function bench() {
  const base = temporaryFolder();
  const root = join(base, "ws");
  const docs = join(base, "docs");
  for (const folder of [root, docs, join(root, "src"), join(root, "secret"), join(base, "home")])
    mkdirSync(folder);
  writeFileSync(join(root, "src", "a.ts"), "one\n");
  writeFileSync(join(root, "secret", "a.ts"), "hidden\n");
  writeFileSync(join(docs, "guide.md"), "# Guide\n");
  symlinkSync("src", join(root, "link"));
  symlinkSync("src/a.ts", join(root, "alias.ts"));
  symlinkSync("..", join(root, "src", "up"));
  const workspace = createHostWorkspace({
    root,
    homeDir: join(base, "home"),
    roots: { docs: { path: docs, access: "rw" }, home: { path: join(base, "home"), access: "rw" } },
  });
  const context = { workspace } as Parameters<NonNullable<AnyTool["plan"]>>[1];
  const plan = async (tool: AnyTool, params: object): Promise<CallPlan> =>
    (await tool.plan!(params, context, signal))!;
  const call = async (tool: AnyTool, params: object, data?: unknown) =>
    tool.execute("call", params, signal, undefined, { workspace, plan: data } as never);
  return { base, root, docs, workspace, plan, call };
}

const pathsOf = ({ subjects }: CallPlan): readonly PathSubject[] => subjects!.paths!;

/** The same workspace, telling every path that was written or read. */
function watched(workspace: Workspace): { workspace: Workspace; real: Set<string> } {
  const real = new Set<string>();
  const note = async (path: string) => real.add(await workspace.fs.realpath(path));
  const fs = {
    ...workspace.fs,
    read: async (...args: Parameters<Workspace["fs"]["read"]>) => {
      const answer = await workspace.fs.read(...args);
      await note(args[0]);
      return answer;
    },
    write: async (...args: Parameters<Workspace["fs"]["write"]>) => {
      const answer = await workspace.fs.write(...args);
      await note(args[0]);
      return answer;
    },
  };
  return { workspace: { ...workspace, describe: () => workspace.describe(), fs }, real };
}

describe("rules see the path that the tool uses (F15)", () => {
  const SPELLINGS: [string, (place: { root: string; docs: string }) => string, string][] = [
    ["plain", () => "src/a.ts", "src/a.ts"],
    ["dots and slashes", () => "./src//./a.ts", "src/a.ts"],
    ["up and down", () => "src/../src/a.ts", "src/a.ts"],
    ["absolute", ({ root }) => join(root, "src/a.ts"), "src/a.ts"],
    ["mentioned", () => "@src/a.ts", "src/a.ts"],
    ["a URL", ({ root }) => pathToFileURL(join(root, "src/a.ts")).href, "src/a.ts"],
    ["an encoded URL", ({ root }) => `file://${root}/%73rc/a%2Ets`, "src/a.ts"],
    ["through a linked folder", () => "link/a.ts", "src/a.ts"],
    ["a link", () => "alias.ts", "src/a.ts"],
    ["up from a link: where the link leads", () => "src/up/secret/a.ts", "secret/a.ts"],
    ["out of a linked folder", () => "link/../secret/a.ts", "secret/a.ts"],
    ["a named root", () => "docs:guide.md", "guide.md"],
    ["an absolute path of a named root", ({ docs }) => join(docs, "guide.md"), "guide.md"],
    ["the home folder, which is a root here", () => "~/new.txt", "new.txt"],
    ["missing folders", () => "link/x/y/z.ts", "src/x/y/z.ts"],
    ["missing folders in a URL", ({ root }) => `file://${root}/n%65w/b%20c/d.ts`, "new/b c/d.ts"],
    ["a new mention keeps its sign", () => "@scope/new.ts", "@scope/new.ts"],
    ["unicode as it is", () => "src/caf\u0065\u0301.ts", "src/caf\u0065\u0301.ts"],
  ];

  test.each(SPELLINGS)("for %s", async (_, spell, relative) => {
    const place = bench();
    const path = spell(place);
    const { workspace, real } = watched(place.workspace);
    const planned = await place.plan(createWriteTool(), { path, content: "x" });
    expect(pathsOf(planned)).toMatchObject([{ relative, access: "write" }]);
    await place.call(createWriteTool({ workspace }), { path, content: "x" }, planned.data);
    expect([...real].at(-1)).toBe(pathsOf(planned)[0]!.path);
    // The same for the other tools, now that it is there.
    for (const tool of [createReadTool(), createEditTool(), createGrepTool()]) {
      const params = { path, pattern: "x", oldText: "x", newText: "y" };
      expect(pathsOf(await place.plan(tool, params))[0]).toMatchObject({ relative });
    }
  });

  test("for a file with a similar name that would be read instead", async () => {
    const { root, plan, call } = bench();
    writeFileSync(join(root, "secret", "it\u2019s.txt"), "hidden");
    const planned = await plan(createReadTool(), { path: "secret/it's.txt" });
    expect(pathsOf(planned).map(({ relative }) => relative)).toEqual([
      "secret/it's.txt",
      "secret/it\u2019s.txt",
    ]);
    expect(
      contentToText((await call(createReadTool(), { path: "secret/it's.txt" }, planned.data)).content),
    ).toContain("hidden");
  });

  test.each(["../outside.txt", "/etc/passwd", "https://example.com/x", "a\0b", "C:\\x", "src/a.ts/../x", ""])(
    "keeps %j unresolved in the plan, and the call fails",
    async (path) => {
      const { plan, call } = bench();
      for (const tool of [createWriteTool(), createReadTool()]) {
        const planned = await plan(tool, { path, content: "x" });
        expect(pathsOf(planned)).toMatchObject([{ path, relative: path }]);
        await failure(call(tool, { path, content: "x" }, planned.data) as Promise<unknown>);
      }
    },
  );

  test("applies rules to a path with a missing folder", async () => {
    const { root, plan, call } = bench();
    for (const tool of [createWriteTool(), createReadTool(), createLsTool()]) {
      const planned = await plan(tool, { path: "missing/../secret/x", content: "x" });
      expect(pathsOf(planned)).toMatchObject([{ path: join(root, "secret/x"), relative: "secret/x" }]);
    }
    const { data } = await plan(createWriteTool(), { path: "missing/../x", content: "x" });
    mkdirSync(join(root, "src/sub"));
    symlinkSync("src/sub", join(root, "missing"));
    const error = await failure(
      call(createWriteTool(), { path: "missing/../x", content: "x" }, data) as Promise<unknown>,
    );
    expect(error.code).toBe("PATH_CHANGED");
  });

  property.prop([
    fc.array(fc.constantFrom("src", "link", "up", "..", ".", "secret", "a.ts", "new", "@src", "alias.ts"), {
      minLength: 1,
      maxLength: 6,
    }),
  ])("whatever is written lies where the plan said, or nothing is written: %s", async (parts) => {
    const place = bench();
    const path = parts.join("/");
    const { workspace, real } = watched(place.workspace);
    const planned = await place.plan(createWriteTool(), { path, content: "x" });
    const done = await place.call(createWriteTool({ workspace }), { path, content: "x" }, planned.data).then(
      () => true,
      () => false,
    );
    if (done) expect([...real].at(-1)).toBe(pathsOf(planned)[0]!.path);
  });
});

describe("the plan of a patch", () => {
  const PATCH = `*** Begin Patch
*** Update File: src/a.ts
@@
-one
+two
*** Add File: @new/b.ts
+b
*** Delete File: alias.ts
*** Update File: secret/a.ts
*** Move to: link/c.ts
*** End Patch`;

  test("lists updates, additions, deleted links, and both ends of moves", async () => {
    const { plan } = bench();
    const planned = await plan(createApplyPatchTool(), { input: PATCH });
    expect(pathsOf(planned).map(({ relative, access }) => [relative, access])).toEqual([
      ["src/a.ts", "write"],
      ["@new/b.ts", "write"],
      ["alias.ts", "write"],
      ["secret/a.ts", "write"],
      ["src/c.ts", "write"],
    ]);
  });

  test("describes the change of each file", async () => {
    const { plan } = bench();
    const preview = contentToText((await plan(createApplyPatchTool(), { input: PATCH })).preview!);
    expect(preview).toContain("Change src/a.ts (+1 -1)");
    expect(preview).toContain("Create @new/b.ts (+1 -0)");
    expect(preview).toContain("Delete alias.ts");
    expect(preview).toContain("Move secret/a.ts to link/c.ts");
    expect(preview).toContain("-one\n+two");
  });

  test("has unknown files if the patch cannot be parsed", async () => {
    const { plan } = bench();
    const planned = await plan(createApplyPatchTool(), { input: "*** Begin Patch\n*** Rename File: x\n" });
    expect(planned.subjects).toBeUndefined();
    expect(contentToText(planned.preview!)).toContain("fails");
  });
});

describe("the plan of a lookup", () => {
  test("covers everything below a folder, or one file", async () => {
    const { root, plan } = bench();
    const tools = [createLsTool(), createFindTool(), createGrepTool()];
    for (const tool of tools) {
      const params = { pattern: "x" };
      expect(pathsOf(await plan(tool, params))).toEqual([
        { path: root, relative: ".", access: "read", recursive: true },
      ]);
      expect(pathsOf(await plan(tool, { ...params, path: "link" }))).toMatchObject([
        { relative: "src", recursive: true },
      ]);
      expect(pathsOf(await plan(tool, { ...params, path: "missing" }))[0]).toMatchObject({ recursive: true });
    }
    expect(pathsOf(await plan(createGrepTool(), { pattern: "x", path: "alias.ts" }))).toEqual([
      { path: join(root, "src/a.ts"), relative: "src/a.ts", access: "read" },
    ]);
  });

  test("starts at the path of an absolute glob", async () => {
    const { docs, plan } = bench();
    const found = await plan(createFindTool(), { pattern: `${docs}/**/*.md` });
    expect(pathsOf(found)).toMatchObject([{ path: docs, relative: ".", recursive: true }]);
    const searched = await plan(createGrepTool(), { pattern: "x", glob: `${docs}/*.md` });
    expect(pathsOf(searched)).toMatchObject([{ path: docs, recursive: true }]);
  });

  test("covers the content of a folder that read would list", async () => {
    const { plan } = bench();
    expect(pathsOf(await plan(createReadTool(), { path: "secret" }))).toMatchObject([
      { relative: "secret", recursive: true },
    ]);
  });
});

describe("a decision about one location", () => {
  const TOOLS: [AnyTool, object][] = [
    [createReadTool(), { path: "link/a.ts" }],
    [createWriteTool(), { path: "link/a.ts", content: "x" }],
    [createEditTool(), { path: "link/a.ts", oldText: "hidden", newText: "x" }],
    [createApplyPatchTool(), { input: "*** Begin Patch\n*** Add File: link/n.ts\n+x\n*** End Patch" }],
    [createLsTool(), { path: "link" }],
    [createFindTool(), { path: "link", pattern: "*" }],
    [createGrepTool(), { path: "link", pattern: "hidden" }],
  ];

  test.each(TOOLS.map(([tool, params]) => [tool.name, tool, params] as const))(
    "does not apply to another location: %s",
    async (_, tool, params) => {
      const { root, plan, call } = bench();
      const planned = await plan(tool, params);
      unlinkSync(join(root, "link"));
      symlinkSync("secret", join(root, "link"));
      const error = await failure(call(tool, params, planned.data) as Promise<unknown>);
      expect(error).toMatchObject({ code: "PATH_CHANGED", receipt: "none" });
    },
  );

  test("does not apply if a folder became a link, or a file behind a link vanished", async () => {
    const { root, plan, call } = bench();
    const planned = await plan(createWriteTool(), { path: "src/a.ts", content: "x" });
    renameSync(join(root, "src"), join(root, "old"));
    symlinkSync("secret", join(root, "src"));
    expect(
      await failure(call(createWriteTool(), { path: "src/a.ts", content: "x" }, planned.data) as never),
    ).toMatchObject({ code: "PATH_CHANGED" });
    rmSync(join(root, "src"));
    renameSync(join(root, "old"), join(root, "src"));
    await call(createWriteTool(), { path: "src/a.ts", content: "x" }, planned.data);
  });
});

describe("a preview", () => {
  test("contains the diff and writes nothing", async () => {
    const { plan, call } = bench();
    const { preview } = await plan(createEditTool(), { path: "src/a.ts", oldText: "one", newText: "two" });
    expect(contentToText(preview!)).toBe(
      "Change src/a.ts (+1 -1)\n```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-one\n+two\n```",
    );
    expect(contentToText((await call(createReadTool(), { path: "src/a.ts" })).content)).toContain("one");
    const created = await plan(createWriteTool(), { path: "src/b.ts", content: "b\n" });
    expect(contentToText(created.preview!)).toContain("Create src/b.ts (+1 -0)");
  });

  test("hides nothing, cannot end its fence, masks secrets, and is bounded", async () => {
    const { plan } = bench();
    const of = async (content: string) =>
      contentToText((await plan(createWriteTool(), { path: "new.md", content })).preview!);
    const tricky = await of("a\u200bb\u202ec\n```\nescaped\n````\n");
    expect(tricky).toContain("a\\u{200b}b\\u{202e}c");
    expect(tricky.match(/`{5}/g)).toHaveLength(2);
    expect(await of("key = sk-proj-abcdefghijklmnopqrstuvwxyz123456\n")).not.toContain("sk-proj-abc");
    const long = await of("line of text\n".repeat(5_000));
    expect(long.length).toBeLessThan(16_000);
    expect(long).toMatch(/… \d+ more lines of changes that are not shown …\n/);
    const whole = await plan(createWriteTool(), { path: "new.md", content: "a\n" });
    expect(whole).not.toHaveProperty("noAlways");
    const hiding = `${"line of text\n".repeat(5_000)}the last one\n`;
    const cut = await plan(createWriteTool(), { path: "new.md", content: hiding });
    expect(cut.noAlways).toBe("not all of the change is shown");
    expect(contentToText(cut.preview!)).toMatch(/the last one\n```$/);
  });

  test("contains the error of a failing change, and the plan remains valid", async () => {
    const { plan } = bench();
    const missed = await plan(createEditTool(), { path: "src/a.ts", oldText: "three", newText: "x" });
    expect(contentToText(missed.preview!)).toMatch(/^This currently fails: .*three|not found|no place/is);
    expect(pathsOf(missed)).toMatchObject([{ relative: "src/a.ts" }]);
    expect((await plan(createReadTool(), { path: "src/a.ts" })).preview).toBeUndefined();
  });
});
