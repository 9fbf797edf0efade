import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { createReadTool } from "../../src/read/read.ts";
import { createWriteTool } from "../../src/write/write.ts";
import { failure } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const write = createWriteTool();
const read = createReadTool();
const patch = createApplyPatchTool();

describe("a new name that looks the same as an existing name", () => {
  it.each([
    ["a curly quote", "it\u2019s.md", "it's.md"],
    ["a no-break space", "Shot\u00a01.txt", "Shot 1.txt"],
    ["a narrow no-break space", "Shot\u202f1.txt", "Shot 1.txt"],
    ["a zero-width space", "no\u200btes.txt", "notes.txt"],
    ["a soft hyphen", "no\u00adtes.txt", "notes.txt"],
    ["a Cyrillic letter", "\u0430pp.ts", "app.ts"],
    ["a full-width character", "a\uff1d1.txt", "a=1.txt"],
    ["an en dash", "a\u2013b.txt", "a-b.txt"],
  ])("is refused for %s", async (_, existing, wanted) => {
    const { call, folder } = withFiles({ [existing]: "one\n" });
    const error = await failure(call(write, { path: wanted, content: "two\n" }));
    expect(error).toMatchObject({ code: "AMBIGUOUS_PATH", receipt: "none" });
    expect(error.message).toContain(String.raw`\u`);
    expect(readdirSync(folder)).toEqual([existing]);
  });

  it("is refused for a folder and for files that a patch adds or moves", async () => {
    const { call, folder } = withFiles({ "caf\u00e9\u200b/a.txt": "1\n", "b.txt": "2\n" });
    const add = "*** Begin Patch\n*** Add File: caf\u00e9/b.txt\n+x\n*** End Patch";
    const move = "*** Begin Patch\n*** Move File: b.txt -> caf\u00e9/b.txt\n*** End Patch";
    for (const input of [add, move])
      expect((await failure(call(patch, { input }))).code).toBe("AMBIGUOUS_PATH");
    expect(readdirSync(folder).toSorted()).toEqual(["b.txt", "caf\u00e9\u200b"]);
  });

  it("is accepted if the same change renames the existing file", async () => {
    const { call, folder } = withFiles({ "it\u2019s.md": "one\n" });
    await call(patch, { input: "*** Begin Patch\n*** Move File: it\u2019s.md -> it's.md\n*** End Patch" });
    expect(readdirSync(folder)).toEqual(["it's.md"]);
  });
});

describe("a path in the notation of another system", () => {
  it.each([
    ["src\\app.ts", "src/app.ts"],
    ["src\\new.ts", "src/new.ts"],
    ["..\\x.txt", "../x.txt"],
    ['"src/app.ts"', "src/app.ts"],
    ["`src/app.ts`", "src/app.ts"],
    ["src/app.ts:12", "src/app.ts"],
    ["src/app.ts:12:3", "src/app.ts"],
    ["a/src/app.ts", "src/app.ts"],
    ["src/my%20file.ts", "src/my file.ts"],
    ["src/my\\ file.ts", "src/my file.ts"],
  ])("creates nothing: %s", async (path, meant) => {
    const { call, folder } = withFiles({ "src/app.ts": "x\n", "src/my file.ts": "y\n" });
    const error = await failure(call(write, { path, content: "z\n" }));
    expect(error).toMatchObject({ code: "AMBIGUOUS_PATH", receipt: "none" });
    expect(error.fix).toBe(`Use ${meant}.`);
    expect(readdirSync(folder)).toEqual(["src"]);
    expect(readdirSync(`${folder}/src`).toSorted()).toEqual(["app.ts", "my file.ts"]);
  });

  it.each(["$HOME/x.txt", "${HOME}/x.txt", "%USERPROFILE%\\x.txt"])(
    "replaces no variable: %s",
    async (path) => {
      const { call, folder } = withFiles({});
      expect((await failure(call(write, { path, content: "z\n" }))).message).toContain("variable");
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("is suggested if a file is missing", async () => {
    const { call } = withFiles({ "src/app.ts": "x\n" });
    for (const path of ["src\\app.ts", "b/src/app.ts", "src/app.ts:7"])
      expect((await failure(call(read, { path }))).fix).toBe("Did you mean src/app.ts?");
  });

  it.each(["a:12", "100%25.txt", "it's.md", "a/b.txt"])(
    "is a name if nothing else is meant: %s",
    async (path) => {
      const { call, folder } = withFiles({});
      await call(write, { path, content: "z\n" });
      expect(existsSync(`${folder}/${path}`)).toBe(true);
    },
  );
});
