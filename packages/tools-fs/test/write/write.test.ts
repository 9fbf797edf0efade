import { chmod, lstat, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contentHash } from "../../src/changes/text/content-hash.ts";
import type { WriteToolInput } from "../../src/write/write.ts";
import { createWriteTool } from "../../src/write/write.ts";
import { readTree } from "../support/read-tree.ts";
import type { TemporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

const tool = createWriteTool();

function write(space: TemporaryWorkspace, params: WriteToolInput, signal = new AbortController().signal) {
  return Promise.resolve(tool.execute("call", params, signal, undefined, space.context));
}

const ifMatch = contentHash(Buffer.from("then"));
test.each([
  ["a folder in the way", { path: "dir", content: "x" }, "IS_DIRECTORY"],
  ["a file where a folder should be", { path: "a.txt/b", content: "x" }, "NOT_A_DIRECTORY"],
  ["outside of the workspace", { path: "../x", content: "x" }, "OUTSIDE_WORKSPACE"],
  ["half a surrogate pair", { path: "a", content: "x\ud800" }, "INVALID_TEXT"],
  ["a file that changed", { path: "a.txt", content: "x", ifMatch }, "FILE_CHANGED"],
  ["a file that is gone", { path: "b.txt", content: "x", ifMatch }, "FILE_CHANGED"],
])("rejects without damage: %s", async (_, params, code) => {
  const space = await temporaryWorkspace({ "dir/a": "x", "a.txt": "now" });
  await expect(write(space, params)).rejects.toMatchObject({ name: "HaftError", code });
  expect(await readTree(space.root)).toEqual({ "dir/a": "x", "a.txt": "now" });
});

test("writes nothing if the call is aborted", async () => {
  const space = await temporaryWorkspace();
  const failing = write(space, { path: "deep/a.txt", content: "x" }, AbortSignal.abort());
  await expect(failing).rejects.toMatchObject({ code: "ABORTED", receipt: "none" });
  expect(await readdir(space.root)).toEqual([]);
});

test("creates a file with its folders and reports it", async () => {
  const space = await temporaryWorkspace();
  const path = "src/deep/hello.js";
  const { content, details } = await write(space, { path, content: "hé" });
  expect(content).toEqual([{ type: "text", text: "Successfully wrote 3 bytes to src/deep/hello.js" }]);
  const diff = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+hé\n\\ No newline at end of file\n`;
  expect(details).toMatchObject({ path, bytesWritten: 3, created: true, changed: true, diff });
  expect(await space.read(path)).toBe("hé");
});

test("replaces a file, shows the diff, and returns a valid hash", async () => {
  const space = await temporaryWorkspace({ "a.txt": "one\ntwo\nthree\n" });
  const { details } = await write(space, { path: "a.txt", content: "one\n2\nthree\n" });
  expect(details).toMatchObject({ created: false, changed: true, firstChangedLine: 2 });
  expect(details.diff).toContain(" one\n-two\n+2\n three\n");
  const again = { path: "a.txt", content: "new\n", ifMatch: details.hash.toUpperCase() };
  expect((await write(space, again)).details.changed).toBe(true);
});

test("writes nothing if the content is equal, and reports it", async () => {
  const space = await temporaryWorkspace({ "a.txt": "same\n" });
  const before = await stat(join(space.root, "a.txt"));
  const result = await write(space, { path: "a.txt", content: "same\n" });
  const details = { changed: false, created: false, bytesWritten: 0 };
  expect(result).toMatchObject({ receipt: "none", details });
  expect((await stat(join(space.root, "a.txt"))).ino).toBe(before.ino);
});

test("writes empty content", async () => {
  const space = await temporaryWorkspace({ "full.txt": "x\n" });
  const empty = await write(space, { path: "empty.txt", content: "" });
  expect(empty.details).toMatchObject({ created: true, bytesWritten: 0 });
  expect((await write(space, { path: "full.txt", content: "" })).details).toMatchObject({ changed: true });
  expect(await space.read("full.txt")).toBe("");
});

test("keeps permissions", async () => {
  const space = await temporaryWorkspace({ "run.sh": "#!/bin/sh\n" });
  await chmod(join(space.root, "run.sh"), 0o755);
  await write(space, { path: "run.sh", content: "#!/bin/sh\necho\n" });
  expect((await stat(join(space.root, "run.sh"))).mode & 0o777).toBe(0o755);
});

test("keeps a link and writes its target", async () => {
  const space = await temporaryWorkspace({ "real/a.txt": "old" });
  await symlink("real/a.txt", join(space.root, "link.txt"));
  await write(space, { path: "link.txt", content: "new" });
  expect(await space.read("real/a.txt")).toBe("new");
  expect((await lstat(join(space.root, "link.txt"))).isSymbolicLink()).toBe(true);
});

test("keeps CRLF and byte order mark and reports them, even if nothing was written", async () => {
  const space = await temporaryWorkspace({ "a.txt": "\ufeffone\r\ntwo\r\n" });
  const changed = await write(space, { path: "a.txt", content: "one\n2\n" });
  const text =
    "Successfully wrote 11 bytes to a.txt. The file kept its CRLF line endings and byte order mark.";
  expect(changed).toMatchObject({ details: { kept: ["crlf", "bom"] }, content: [{ text }] });
  expect(await space.read("a.txt")).toBe("\ufeffone\r\n2\r\n");
  const same = await write(space, { path: "a.txt", content: "one\n2\n" });
  expect(same.details.changed).toBe(false);
  const said = expect.stringContaining("this content (with CRLF line endings and byte order mark)");
  expect(same.content[0]).toMatchObject({ text: said });
});

test.each([
  ["one\r\ntwo\r\n", "one\ntwo\n", "lf", "one\ntwo\n"],
  ["one\ntwo\n", "one\ntwo\n", "crlf", "one\r\ntwo\r\n"],
  ["one\r\n", "one\r\ntwo\n", "keep", "one\r\ntwo\n"],
  ["one\r\n", "one\rtwo\n", "keep", "one\rtwo\n"],
  ["one\r\ntwo\n", "one\n", "keep", "one\n"],
  ["one\r\n", "one\r\ntwo\n", "lf", "one\ntwo\n"],
] as const)(
  "writes the requested line endings: %j and %j with %s",
  async (before, content, lineEndings, after) => {
    const space = await temporaryWorkspace({ "a.txt": before });
    const { details } = await write(space, { path: "a.txt", content, lineEndings });
    expect(await space.read("a.txt")).toBe(after);
    expect(details.kept).toBeUndefined();
  },
);

test("prefers requested line endings to the project's conventions for a new file", async () => {
  const space = await temporaryWorkspace({ ".editorconfig": "root = true\n[*]\nend_of_line = crlf\n" });
  await write(space, { path: "a.txt", content: "one\n", lineEndings: "lf" });
  await write(space, { path: "b.txt", content: "one\n" });
  expect(await space.read("a.txt")).toBe("one\n");
  expect(await space.read("b.txt")).toBe("one\r\n");
});

const EDITOR_CONFIG =
  "root = true\n[*]\nend_of_line = lf\ninsert_final_newline = true\n[*.{bat,cmd}]\nend_of_line = crlf\n[docs/**.md]\ncharset = utf-8-bom\n";

test("applies .editorconfig before .gitattributes to a new file, nearer files first", async () => {
  const space = await temporaryWorkspace({
    ".editorconfig": EDITOR_CONFIG,
    ".gitattributes": "* text=auto\n*.ps1 text eol=crlf\n*.bat eol=lf\n",
    "sub/.gitattributes": "*.txt eol=crlf\n",
    "sub/.editorconfig": "[*.txt]\nend_of_line = unset\n",
  });
  for (const [path, content, written] of [
    ["run.bat", "a\nb", "a\r\nb\r\n"],
    ["docs/x/a.md", "a", "\ufeffa\n"],
    ["empty.txt", "", ""],
  ] as const) {
    await write(space, { path, content });
    expect(await space.read(path)).toBe(written);
  }
});

test("applies .gitattributes if .editorconfig has no value", async () => {
  const attributes = "* text=auto\n*.ps1 text eol=crlf\n";
  const space = await temporaryWorkspace({ ".gitattributes": attributes, "a/keep": "" });
  await write(space, { path: "a/x.ps1", content: "1\n2\n" });
  await write(space, { path: "a/x.sh", content: "1\n2\n" });
  expect(await space.read("a/x.ps1")).toBe("1\r\n2\r\n");
  expect(await space.read("a/x.sh")).toBe("1\n2\n");
});

test("replaces binary content without a diff", async () => {
  const space = await temporaryWorkspace({ "a.bin": Buffer.from([0, 255, 254, 1]) });
  const result = await write(space, { path: "a.bin", content: "text" });
  expect(result.details.changed).toBe(true);
  expect(result.details.diff).toBeUndefined();
});

test("runs two calls on one file in call order", async () => {
  const space = await temporaryWorkspace();
  await mkdir(join(space.root, "d"));
  const calls = Array.from({ length: 20 }, (_, index) =>
    write(space, { path: index % 2 ? "d/a" : "./d/../d/a", content: String(index) }),
  );
  const created = (await Promise.all(calls)).map(({ details }) => details.created);
  expect(created).toEqual([true, ...Array.from({ length: 19 }, () => false)]);
  expect(await space.read("d/a")).toBe("19");
});
