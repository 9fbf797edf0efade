import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import type { FindToolDetails } from "../../src/find/find-steps.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import { planPaths } from "../../src/paths/planned-paths.ts";
import { read, write, edit, patch, ls, find, grep, toPatchInput } from "../support/every-tool.ts";
import { failure, temporaryFolder, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

describe("a missing folder before ..", () => {
  it.each([
    "none/../up.txt",
    "none/deep/../../up.txt",
    "./none/./deep/..//../up.txt",
    "there/none/../../up.txt",
  ])("is omitted together with it by all tools: %s", async (path) => {
    const { call, folder } = withFiles({ "up.txt": "old\n", "there/x": "" });
    const content = () => readFileSync(join(folder, "up.txt"), "utf8");
    for (const spelled of [path, join(folder, "/").concat(path)]) {
      await call(write, { path: spelled, content: "old\n" });
      expect(texts(await call(read, { path: spelled }))[0]).toBe("old\n");
      await call(edit, { path: spelled, oldText: "old", newText: "new" });
      expect(content()).toBe("new\n");
      await call(patch, toPatchInput(`*** Update File: ${spelled}`, "-new", "+patched"));
      expect(content()).toBe("patched\n");
      const above = spelled.slice(0, -"/up.txt".length);
      expect(texts(await call(ls, { path: above }))[0]).toBe("there/\nup.txt");
      const { details } = await call<FindToolDetails>(find, { path: above, pattern: "up*" });
      const found = details.paths.map((one) => posix.relative(folder, posix.resolve(folder, one)));
      expect(found).toEqual(["up.txt"]);
      expect((await call<GrepToolDetails>(grep, { path: spelled, pattern: "p" })).details.files).toBe(1);
    }
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  it("is not created", async () => {
    const { call, folder } = withFiles({});
    await call(patch, toPatchInput("*** Add File: new/none/../a.txt", "+a"));
    expect(readFileSync(join(folder, "new/a.txt"), "utf8")).toBe("a\n");
    expect(existsSync(join(folder, "new/none"))).toBe(false);
    await call(patch, toPatchInput("*** Move File: none/../new/a.txt -> new/none/../../b.txt"));
    expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("a\n");
    await call(patch, toPatchInput("*** Delete File: none/../b.txt"));
    expect(existsSync(join(folder, "b.txt"))).toBe(false);
  });

  it("is planned correctly with encoded dots, even if the call creates the folder", async () => {
    const { call, folder, workspace } = withFiles({ "there/x": "" });
    const up = `file://${folder}/none/%2e%2E/there/new.txt`;
    for (const path of [up, up.replace("none", "there"), `@${up}`]) {
      const { subjects } = await planPaths(workspace, [{ path, access: "write" }]);
      expect(subjects?.paths?.[0]).toMatchObject({ relative: "there/new.txt" });
    }
    await call(patch, toPatchInput("*** Add File: none/a.txt", "+a", `*** Add File: ${up}`, "+b"));
    expect(readFileSync(join(folder, "there/new.txt"), "utf8")).toBe("b\n");
  });

  it("does not lead outside the workspace", async () => {
    const { call, folder } = withFiles({ file: "" });
    const outside = temporaryFolder();
    writeFileSync(join(outside, "secret"), "secret\n");
    symlinkSync(outside, join(folder, "out"));
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
    const up = `none/../..${outside}/secret`;
    for (const path of ["none/../../x", "none/../out/secret", up, "out/none/../secret", "@../../x"]) {
      for (const [tool, params] of [
        [read, {}],
        [write, { content: "" }],
        [edit, { oldText: "a", newText: "b" }],
        [ls, {}],
        [find, { pattern: "*" }],
        [grep, { pattern: "secret" }],
      ] as const)
        expect([path, (await failure(call(tool, { path, ...params }))).code]).toEqual([
          path,
          "OUTSIDE_WORKSPACE",
        ]);
    }
    // Only of what is certainly not there can nothing be meant.
    expect((await failure(call(read, { path: "file/../file" }))).code).toBe("NOT_A_DIRECTORY");
    expect((await failure(call(read, { path: "dangling/../file" }))).code).toBe("FILE_NOT_FOUND");
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret\n");
  });

  it("counts as a folder if it exists", async () => {
    const { call, folder } = withFiles({ "up.txt": "here\n", "a/b/c": "", "a/up.txt": "there\n" });
    expect(texts(await call(read, { path: "link/../up.txt" }))[0]).toBe("here\n");
    symlinkSync("a/b", join(folder, "link"));
    expect(texts(await call(read, { path: "link/../up.txt" }))[0]).toBe("there\n");
    mkdirSync(join(folder, "none"));
    expect(texts(await call(read, { path: "none/../up.txt" }))[0]).toBe("here\n");
  });
});
