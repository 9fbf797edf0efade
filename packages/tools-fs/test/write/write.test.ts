import { chmod, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contentHash } from "../../src/changes/text/content-hash.ts";
import type { WriteToolInput } from "../../src/write/write-schema.ts";
import { createWriteTool } from "../../src/write/write-tool.ts";
import type { TemporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

const tool = createWriteTool();

function write(space: TemporaryWorkspace, params: WriteToolInput, signal = new AbortController().signal) {
  return Promise.resolve(tool.execute("call", params, signal, undefined, space.context));
}

test("a folder in the way is refused", async () => {
  const space = await temporaryWorkspace({ "dir/a": "x" });
  await expect(write(space, { path: "dir", content: "x" })).rejects.toMatchObject({ code: "IS_DIRECTORY" });
});

test("a file where a folder should be is refused and kept", async () => {
  const space = await temporaryWorkspace({ a: "x" });
  await expect(write(space, { path: "a/b", content: "x" })).rejects.toMatchObject({ name: "HaftError" });
  expect(await space.read("a")).toBe("x");
});

test("outside of the workspace is refused", async () => {
  const space = await temporaryWorkspace();
  await expect(write(space, { path: "../x", content: "x" })).rejects.toMatchObject({
    code: "OUTSIDE_WORKSPACE",
  });
});

test("an aborted call writes nothing", async () => {
  const space = await temporaryWorkspace();
  const failing = write(space, { path: "deep/a.txt", content: "x" }, AbortSignal.abort());
  await expect(failing).rejects.toMatchObject({ code: "ABORTED", receipt: "none" });
  expect(await readdir(space.root)).toEqual([]);
});

test("half a surrogate pair is refused instead of damaged", async () => {
  const space = await temporaryWorkspace();
  await expect(write(space, { path: "a", content: "x\ud800" })).rejects.toMatchObject({
    code: "INVALID_TEXT",
  });
});

test("ifMatch refuses a file that changed, and one that is gone", async () => {
  const space = await temporaryWorkspace({ "a.txt": "now" });
  const ifMatch = contentHash(Buffer.from("then"));
  await expect(write(space, { path: "a.txt", content: "x", ifMatch })).rejects.toMatchObject({
    code: "FILE_CHANGED",
  });
  await expect(write(space, { path: "b.txt", content: "x", ifMatch })).rejects.toMatchObject({
    code: "FILE_CHANGED",
  });
  expect(await space.read("a.txt")).toBe("now");
});

test("creates a file with its folders and says so", async () => {
  const space = await temporaryWorkspace();
  const result = await write(space, { path: "src/deep/hello.js", content: "hé" });
  expect(result.content).toEqual([{ type: "text", text: "Successfully wrote 3 bytes to src/deep/hello.js" }]);
  expect(result.details).toMatchObject({
    path: "src/deep/hello.js",
    bytesWritten: 3,
    created: true,
    changed: true,
  });
  expect(result.details.diff).toBe(
    "--- /dev/null\n+++ b/src/deep/hello.js\n@@ -0,0 +1 @@\n+hé\n\\ No newline at end of file\n",
  );
  expect(await space.read("src/deep/hello.js")).toBe("hé");
});

test("replaces a file, shows the diff, and the hash matches next time", async () => {
  const space = await temporaryWorkspace({ "a.txt": "one\ntwo\nthree\n" });
  const first = await write(space, { path: "a.txt", content: "one\n2\nthree\n" });
  expect(first.details).toMatchObject({ created: false, changed: true, firstChangedLine: 2 });
  expect(first.details.diff).toContain(" one\n-two\n+2\n three\n");
  const { hash } = first.details;
  const second = await write(space, { path: "a.txt", content: "new\n", ifMatch: hash.toUpperCase() });
  expect(second.details.changed).toBe(true);
});

test("equal content writes nothing and says so", async () => {
  const space = await temporaryWorkspace({ "a.txt": "same\n" });
  const before = await stat(join(space.root, "a.txt"));
  const result = await write(space, { path: "a.txt", content: "same\n" });
  expect(result).toMatchObject({
    receipt: "none",
    details: { changed: false, created: false, bytesWritten: 0 },
  });
  expect((await stat(join(space.root, "a.txt"))).ino).toBe(before.ino);
});

test("empty content is content", async () => {
  const space = await temporaryWorkspace({ "full.txt": "x\n" });
  expect((await write(space, { path: "empty.txt", content: "" })).details).toMatchObject({
    created: true,
    bytesWritten: 0,
  });
  expect((await write(space, { path: "full.txt", content: "" })).details).toMatchObject({ changed: true });
  expect(await space.read("full.txt")).toBe("");
});

test("permissions stay", async () => {
  const space = await temporaryWorkspace({ "run.sh": "#!/bin/sh\n" });
  await chmod(join(space.root, "run.sh"), 0o755);
  await write(space, { path: "run.sh", content: "#!/bin/sh\necho\n" });
  expect((await stat(join(space.root, "run.sh"))).mode & 0o777).toBe(0o755);
});

test("a link stays a link, its target is written", async () => {
  const space = await temporaryWorkspace({ "real/a.txt": "old" });
  await symlink("real/a.txt", join(space.root, "link.txt"));
  await write(space, { path: "link.txt", content: "new" });
  expect(await space.read("real/a.txt")).toBe("new");
  expect(
    (await readdir(space.root, { withFileTypes: true }))
      .find(({ name }) => name === "link.txt")
      ?.isSymbolicLink(),
  ).toBe(true);
});

test("CRLF and byte order mark are said to be kept, also when nothing had to be written", async () => {
  const space = await temporaryWorkspace({ "a.txt": "\ufeffone\r\n" });
  const changed = await write(space, { path: "a.txt", content: "two\n" });
  expect(changed).toMatchObject({
    details: { kept: ["crlf", "bom"] },
    content: [
      { text: "Successfully wrote 8 bytes to a.txt. The file kept its CRLF line ends and byte order mark." },
    ],
  });
  const same = await write(space, { path: "a.txt", content: "two\n" });
  expect(same.content[0]).toMatchObject({
    text: expect.stringContaining("this content (with CRLF line ends and byte order mark)") as string,
  });
});

test.each([
  ["one\r\ntwo\r\n", "one\ntwo\n", "lf", "one\ntwo\n"],
  ["one\ntwo\n", "one\ntwo\n", "crlf", "one\r\ntwo\r\n"],
  ["one\r\n", "one\r\ntwo\n", "keep", "one\r\ntwo\n"],
  ["one\r\n", "one\rtwo\n", "keep", "one\rtwo\n"],
  ["one\r\ntwo\n", "one\n", "keep", "one\n"],
  ["one\r\n", "one\r\ntwo\n", "lf", "one\ntwo\n"],
] as const)("line ends can be asked for: %j and %j with %s", async (before, content, lineEndings, after) => {
  const space = await temporaryWorkspace({ "a.txt": before });
  const { details } = await write(space, { path: "a.txt", content, lineEndings });
  expect(await space.read("a.txt")).toBe(after);
  expect(details.kept).toBeUndefined();
});

test("line ends asked for win over the conventions of the project for a new file", async () => {
  const space = await temporaryWorkspace({ ".editorconfig": "root = true\n[*]\nend_of_line = crlf\n" });
  await write(space, { path: "a.txt", content: "one\n", lineEndings: "lf" });
  await write(space, { path: "b.txt", content: "one\n" });
  expect(await space.read("a.txt")).toBe("one\n");
  expect(await space.read("b.txt")).toBe("one\r\n");
});

test("CRLF and byte order mark of an existing file survive content read without them", async () => {
  const space = await temporaryWorkspace({ "a.txt": "\ufeffone\r\ntwo\r\n" });
  await write(space, { path: "a.txt", content: "one\n2\n" });
  expect(await space.read("a.txt")).toBe("\ufeffone\r\n2\r\n");
  const again = await write(space, { path: "a.txt", content: "one\n2\n" });
  expect(again.details.changed).toBe(false);
});

test("a new file follows .editorconfig and .gitattributes, the nearer and the former first", async () => {
  const space = await temporaryWorkspace({
    ".editorconfig":
      "root = true\n[*]\nend_of_line = lf\ninsert_final_newline = true\n[*.{bat,cmd}]\nend_of_line = crlf\n[docs/**.md]\ncharset = utf-8-bom\n",
    ".gitattributes": "*.ps1 text eol=crlf\n*.bat eol=lf\n",
    "sub/.gitattributes": "*.txt eol=crlf\n",
    "sub/.editorconfig": "[*.txt]\nend_of_line = unset\n",
  });
  await write(space, { path: "run.bat", content: "a\nb" });
  await write(space, { path: "docs/x/a.md", content: "a" });
  await write(space, { path: "empty.txt", content: "" });
  expect(await space.read("run.bat")).toBe("a\r\nb\r\n");
  expect(await space.read("docs/x/a.md")).toBe("\ufeffa\n");
  expect(await space.read("empty.txt")).toBe("");
});

test(".gitattributes decides where .editorconfig is silent", async () => {
  const space = await temporaryWorkspace({
    ".gitattributes": "* text=auto\n*.ps1 text eol=crlf\n",
    "a/keep": "",
  });
  await write(space, { path: "a/x.ps1", content: "1\n2\n" });
  await write(space, { path: "a/x.sh", content: "1\n2\n" });
  expect(await space.read("a/x.ps1")).toBe("1\r\n2\r\n");
  expect(await space.read("a/x.sh")).toBe("1\n2\n");
});

test("binary content is replaced without a diff", async () => {
  const space = await temporaryWorkspace({ "a.bin": Buffer.from([0, 255, 254, 1]) });
  const result = await write(space, { path: "a.bin", content: "text" });
  expect(result.details.changed).toBe(true);
  expect(result.details.diff).toBeUndefined();
});

test("two calls on one file run in the order they were made", async () => {
  const space = await temporaryWorkspace();
  await mkdir(join(space.root, "d"));
  const calls = Array.from({ length: 20 }, (_, index) =>
    write(space, { path: index % 2 ? "d/a" : "./d/../d/a", content: String(index) }),
  );
  const results = await Promise.all(calls);
  expect(results.map(({ details }) => details.created)).toEqual([
    true,
    ...Array.from({ length: 19 }, () => false),
  ]);
  expect(await space.read("d/a")).toBe("19");
});
