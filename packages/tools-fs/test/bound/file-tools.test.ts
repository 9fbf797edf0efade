import { contentToText, type Workspace } from "@haft/core";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  createFileTools,
  createHostWorkspaceEditTool,
  createHostWorkspaceWriteTool,
  createSandboxedEditTool,
  createSandboxedReadTool,
  createSandboxedWriteTool,
} from "../../src/index.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

test("creates every file tool for a folder without host, policy and context", async () => {
  const { root, read } = await temporaryWorkspace({ "src/a.ts": "export const one = 1;\n" });
  const tools = createFileTools({ root });
  expect(tools.all.map(({ name }) => name).join()).toBe("read,write,edit,apply_patch,ls,find,grep");
  const shown = await tools.read.call({ path: "src/a.ts" });
  expect(contentToText(shown.content)).toContain("export const one");
  if (shown.kind === "ok" && shown.details.kind === "text") expect(shown.details.lines).toBe(1);
  expect(await tools.write.call({ path: "b.txt", content: "two\n" })).toMatchObject({ receipt: "committed" });
  // As models write them.
  const edited = await tools.edit.call('{"file_path":"b.txt","old_string":"two","new_string":"three"}');
  expect(edited).toMatchObject({ kind: "ok", details: { replacements: 1 } });
  const input = "*** Begin Patch\n*** Update File: b.txt\n@@\n-three\n+four\n*** End Patch";
  expect(await tools.apply_patch.call({ input })).toMatchObject({ kind: "ok" });
  expect(await read("b.txt")).toBe("four\n");
  expect(contentToText((await tools.ls.execute("1", {})).content)).toBe("b.txt\nsrc/");
  expect(contentToText((await tools.find.execute("1", { pattern: "**/*.ts" })).content)).toContain(
    "src/a.ts",
  );
  expect(contentToText((await tools.grep.execute("1", { pattern: "four" })).content)).toContain("b.txt");
  await tools.close();
  expect(await tools.ls.call({})).toMatchObject({ code: "SESSION_CLOSED" });
});

test("enforces the boundary and refuses changes that require consent", async () => {
  const { root, read } = await temporaryWorkspace({ "inside/.envrc": "one\n", outside: "secret" });
  await symlink("..", `${root}/inside/up`);
  const tools = createFileTools({ root: `${root}/inside` });
  for (const path of ["../outside", `${root}/outside`, "up/outside"]) {
    expect(await tools.read.call({ path })).toMatchObject({ code: "OUTSIDE_WORKSPACE" });
    expect(await tools.write.call({ path, content: "x" })).toMatchObject({ code: "OUTSIDE_WORKSPACE" });
  }
  const error = { kind: "error", code: "CONSENT_NEEDED", receipt: "none" };
  expect(await tools.write.call({ path: ".envrc", content: "two\n" })).toMatchObject(error);
  expect(await read("inside/.envrc")).toBe("one\n");
  const consenting = createFileTools({ root: `${root}/inside`, projectSettings: [] });
  expect(await consenting.write.call({ path: ".envrc", content: "two\n" })).toMatchObject({ kind: "ok" });
});

test("returns an outcome for a missing folder", async () => {
  const outcome = await createFileTools({ root: "/nowhere/at-all" }).ls.call({});
  expect(outcome).toMatchObject({ code: "ROOT_INVALID" });
});

test("rejects an unknown option immediately, with a suggestion", () => {
  const make = createFileTools as (given: object) => unknown;
  for (const [given, meant] of [
    [{ rot: 1 }, "root"],
    [{ root: ".", readonly: [] }, "readOnly"],
    [{ root: ".", hardlinks: "allow" }, "hardLinks"],
  ] as const)
    expect(() => make(given)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(`mean ${meant}`) }),
    );
});

test("adapts the page size to the model", async () => {
  const { root } = await temporaryWorkspace({ long: "a line of some length\n".repeat(10_000) });
  const page = async (contextTokens: number) => {
    const { content } = await createFileTools({ root, model: { contextTokens } }).read.call({ path: "long" });
    return contentToText(content).length;
  };
  expect(await page(8_000)).toBeLessThan(await page(200_000));
});

test("rejects unusable options immediately", () => {
  const make = createFileTools as (given?: unknown) => unknown;
  for (const given of [undefined, null, 5, {}, { root: 5 }, { root: "" }, { root: ".", contextWindow: 5 }])
    expect(() => make(given)).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
});

test("never opens a folder with invalid options", async () => {
  const make = createFileTools as (given: object) => ReturnType<typeof createFileTools>;
  for (const given of [
    { root: ".", hardLinks: "some" },
    { root: ".", deny: "secret" },
  ])
    await expect(make(given).ls.call({})).resolves.toMatchObject({ code: "INVALID_OPTIONS" });
});

test("resolves a relative folder when the tools are created", async () => {
  const files = { "a/one.txt": "one\n", "b/a/one.txt": "another\n", "c/two.txt": "two\n" };
  const { root } = await temporaryWorkspace(files);
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(root);
  const tools = createFileTools({ root: "a", roots: { more: { path: "./c", access: "ro" } } });
  const bound = createHostWorkspaceWriteTool("a");
  process.chdir(join(root, "b"));
  expect(contentToText((await tools.read.call({ path: "one.txt" })).content)).toBe("one\n");
  expect(contentToText((await tools.read.call({ path: "more:two.txt" })).content)).toBe("two\n");
  expect(await bound.call({ path: "new.txt", content: "x" })).toMatchObject({ kind: "ok" });
  expect(await readFile(join(root, "a/new.txt"), "utf8")).toBe("x");
});

test.each([
  [createHostWorkspaceWriteTool, "createHostWorkspaceWriteTool", "."],
  [createHostWorkspaceEditTool, "createHostWorkspaceEditTool", "."],
  [createSandboxedReadTool, "createSandboxedReadTool", inSandbox()],
  [createSandboxedWriteTool, "createSandboxedWriteTool", inSandbox()],
  [createSandboxedEditTool, "createSandboxedEditTool", inSandbox()],
] as const)("%#: rejects unknown options", (make, name, place) => {
  for (const options of [{ nonsense: true }, null, 5, "x"])
    expect(() => (make as (...args: unknown[]) => unknown)(place, options)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS", message: expect.stringContaining(name) }),
    );
});

test("rejects a value that is not a sandbox", () => {
  for (const place of [undefined, null, 5, "x", {}])
    expect(() => createSandboxedWriteTool(place as never)).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS" }),
    );
});

/** Of which only the description is looked at here. */
function inSandbox(): Workspace {
  return { fs: {} as never, describe: () => ({ target: "sandbox", cwd: "/", mounts: [], boundary: "none" }) };
}
