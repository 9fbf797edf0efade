import { chmod, lstat, mkdir, readFile, readlink, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { firstConflict, patch, patched, refused, wrap } from "../support/patch-bench.ts";
import { readTree } from "../support/read-tree.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

describe("malformed patches", () => {
  test.each([
    ["", "PATCH_INVALID"],
    ["  \n", "PATCH_INVALID"],
    [wrap(), "PATCH_INVALID"],
    ["just text", "PATCH_INVALID"],
    ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "PATCH_INVALID"],
    ["*** Begin Patch\n*** Delete File: a", "PATCH_INVALID"],
    [wrap("*** Frobnicate File: a"), "PATCH_INVALID"],
    [wrap("*** Update File: a"), "PATCH_INVALID"],
    [wrap("*** Update File:", "@@", "-a"), "PATCH_INVALID"],
    [wrap("*** Update File: a", "@@"), "PATCH_INVALID"],
    [wrap("*** Update File: a", "@@", "-a", "*** End of File", "+b"), "PATCH_INVALID"],
    [wrap("*** Update File: a", "@@", "-a", "*** End of File", "*** End of File"), "PATCH_INVALID"],
    [wrap("*** Update File: a", "*** Move to:", "@@", "-a"), "PATCH_INVALID"],
    [wrap("*** Delete File: a", "-a"), "PATCH_INVALID"],
    [wrap("*** Add File: b", "+a", "b"), "PATCH_INVALID"],
    [wrap("*** Add File: b", "+a", "", "+b"), "PATCH_INVALID"],
    [wrap("*** Add File: b", "", "+a"), "PATCH_INVALID"],
    [wrap("*** Update File: a", "@@", "\ta", "-a"), "PATCH_INVALID"],
    [wrap("*** Environment ID: x", "*** Environment ID: x", "*** Delete File: a"), "PATCH_INVALID"],
    [wrap("*** Move File: a"), "PATCH_INVALID"],
    [wrap("*** Move File: a -> b -> c"), "PATCH_INVALID"],
    [wrap("*** Update File: a", "*** Begin Patch", "-a"), "PATCH_INVALID"],
    [`${wrap("*** Delete File: a")}\n*** Delete File: b`, "PATCH_INVALID"],
    [`${wrap("*** Update File: a", "-a", "+b")}\n+c\n*** End Patch`, "PATCH_INVALID"],
    [wrap("*** Environment ID: ", "*** Delete File: a"), "PATCH_INVALID"],
    [wrap("*** Add File: b", "+\ud800"), "INVALID_TEXT"],
  ])("are rejected: %j with %s", async (input, code) => {
    expect(await refused({ a: "a\n" }, input)).toMatchObject({ code });
  });

  test("are rejected with the line of the error", async () => {
    const error = await refused({}, wrap("*** Add File: b", "+a", "oops"));
    expect(error.details.line).toBe(4);
    expect(error.message).toContain("line 4");
  });
});

test("are rejected if a line has no sign, which would not be removed as context", async () => {
  const hunk = ["@@", " keep", "-remove me", "also remove", "+added"];
  const error = await refused({ a: "keep\nremove me\nalso remove\n" }, wrap("*** Update File: a", ...hunk));
  expect(error).toMatchObject({ code: "PATCH_INVALID", details: { line: 6 } });
  expect(error.message).toContain('"also remove" begins with neither a blank nor - nor +');
});

describe("text around a patch", () => {
  const body = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
  test.each([
    ["byte order mark", `\ufeff${body}`],
    ["CRLF", body.replaceAll("\n", "\r\n")],
    ["heredoc", `<<'EOF'\n${body}\nEOF`],
    ["another tag", `<<"PATCH_END"\n${body}\nPATCH_END\n`],
    ["shell command", `apply_patch <<'EOF'\n${body}\nEOF\n`],
    ["code fence", `\`\`\`diff\n${body}\n\`\`\`\n`],
    ["remarks", `Here is the patch:\n\n${body}\n\nThat should do.`],
    ["spare blank lines", `\n\n*** Begin Patch\n\n*** Add File: a\n+x\n\n\n*** End Patch\n\n`],
    ["JSON arguments", JSON.stringify({ input: body })],
    ["JSON string", JSON.stringify(body)],
    ["blanks around the markers", `  *** Begin Patch  \n*** Add File: a\n+x\n *** End Patch `],
    ["environment id", body.replace("Patch\n", "Patch\n*** Environment ID: env\n")],
    ["more Ends", `${body}\n*** End Patch\n\n*** End Patch`],
    ["indented header", body.replace("*** Add", "  *** Add")],
  ])("is ignored: %s", async (_, input) => {
    expect((await patched({}, input)).tree).toEqual({ a: "x\n" });
  });
});

describe("examples of other implementations", () => {
  test("add a file without plus signs, modify a file, and use two envelopes", async () => {
    const { text, details, tree } = await patched(
      { "src/main.js": "function main() {\n}\n" },
      '*** Begin Patch\n*** Add File: src/hello.js\nconsole.log("Hello");\n*** End Patch\n\n*** Begin Patch\n*** Modify File: src/main.js\n@@ -1,2 +1,3 @@\n function main() {\n+ console.log("Main");\n }\n*** End Patch',
    );
    expect(text).toBe("Success. Updated the following files:\nA src/hello.js\nM src/main.js");
    expect(details.summary).toEqual({ added: ["src/hello.js"], modified: ["src/main.js"], deleted: [] });
    expect(tree).toEqual({
      "src/hello.js": 'console.log("Hello");\n',
      "src/main.js": 'function main() {\n console.log("Main");\n}\n',
    });
  });

  test("use all four operations in four envelopes", async () => {
    const { tree, text } = await patched(
      {
        "src/existing_file.js": 'function hello() {\n  console.log("Hi");\n}\n',
        "src/old_file.js": "x\n",
        "src/old_path.js": "y",
      },
      `${wrap("*** Add File: src/new_file.js", 'console.log("Hello, World!");')}
${wrap("*** Modify File: src/existing_file.js", "@@ -1,3 +1,4 @@", " function hello() {", '-  console.log("Hi");', '+  console.log("Hello, World!");', " }")}
${wrap("*** Delete File: src/old_file.js")}
${wrap("*** Move File: src/old_path.js -> src/new_path.js")}`,
    );
    expect(tree).toEqual({
      "src/existing_file.js": 'function hello() {\n  console.log("Hello, World!");\n}\n',
      "src/new_file.js": 'console.log("Hello, World!");\n',
      "src/new_path.js": "y",
    });
    expect(text).toContain("A src/new_file.js\nM src/existing_file.js\nM src/new_path.js\nD src/old_file.js");
  });

  test("combine several envelopes in one transaction", async () => {
    const error = await refused(
      { a: "a\n" },
      `${wrap("*** Add File: b", "+b")}\n${wrap("*** Update File: a", "-zzzz", "+b")}`,
    );
    expect(error.code).toBe("PATCH_CONFLICT");
  });
});

describe("file operations", () => {
  test.each([
    ["a", "*** Add File: a", "+x"],
    ["b", "*** Move File: a -> b"],
  ])("do not overwrite %s by %s", async (path, ...lines) => {
    const found = await firstConflict({ a: "1", b: "2" }, wrap(...lines));
    expect(found).toMatchObject({ code: "FILE_EXISTS", path });
  });

  test("overwrite a file that the patch deletes before", async () => {
    const input = wrap("*** Delete File: b", "*** Move File: a -> b", "*** Add File: a", "+new");
    const { tree, details } = await patched({ a: "1", b: "2" }, input);
    expect(tree).toEqual({ a: "new\n", b: "1" });
    expect(details.summary).toEqual({ added: [], modified: ["b", "a"], deleted: [] });
  });

  test("treat delete and add of the same path as a modification with a diff", async () => {
    const { details } = await patched({ a: "1\n" }, wrap("*** Delete File: a", "*** Add File: a", "+2"));
    const diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n";
    expect(details.files[0]).toMatchObject({ kind: "modified", diff });
  });

  test("report all missing files", async () => {
    const input = wrap("*** Update File: a", "-x", "*** Delete File: b", "*** Move File: c -> d");
    const { conflicts } = (await refused({}, input)).details;
    expect(conflicts).toMatchObject(["a", "b", "c"].map((path) => ({ code: "FILE_NOT_FOUND", path })));
  });

  test.each(["*** Delete File: d", "*** Move File: d -> e", "*** Add File: d"])(
    "reject folders: %s",
    async (input) => {
      expect(await refused({ "d/a": "x" }, wrap(input))).toMatchObject({ code: "IS_DIRECTORY" });
    },
  );

  test("reject lines with damaged bytes for updates, but not for moves and deletions", async () => {
    const damaged = Buffer.from([0xc0, 0xaf, 0x0a]);
    const error = await refused({ a: damaged }, wrap("*** Update File: a", "-\ufffd\ufffd"));
    expect(error).toMatchObject({ code: "INVALID_TEXT" });
    const space = await temporaryWorkspace({ a: damaged, b: damaged });
    await patch(space, wrap("*** Move File: a -> c", "*** Delete File: b"));
    expect(await space.bytes("c")).toEqual(damaged);
  });

  test("treat a move of a file onto itself as an update", async () => {
    const { tree } = await patched({ a: "1\n" }, wrap("*** Update File: a", "*** Move to: ./a", "-1", "+2"));
    expect(tree).toEqual({ a: "2\n" });
    expect((await patched({ a: "1\n" }, wrap("*** Move File: a -> a"))).tree).toEqual({ a: "1\n" });
  });

  test("keep permissions of moved files, changed or not", async () => {
    const space = await temporaryWorkspace({ a: "1\n", b: "1\n" });
    await chmod(join(space.root, "a"), 0o755);
    await chmod(join(space.root, "b"), 0o700);
    await patch(space, wrap("*** Move File: a -> d/x", "*** Update File: b", "*** Move to: d/y", "-1", "+2"));
    expect((await stat(join(space.root, "d/x"))).mode & 0o777).toBe(0o755);
    expect((await stat(join(space.root, "d/y"))).mode & 0o777).toBe(0o700);
    expect(await space.read("d/y")).toBe("2\n");
  });

  test("swap two files with their permissions", async () => {
    const space = await temporaryWorkspace({ a: "1\n", b: "2\n" });
    await chmod(join(space.root, "a"), 0o755);
    await patch(space, wrap("*** Move File: a -> t", "*** Move File: b -> a", "*** Move File: t -> b"));
    expect(await readTree(space.root)).toEqual({ a: "2\n", b: "1\n" });
    expect((await stat(join(space.root, "b"))).mode & 0o777).toBe(0o755);
    expect((await stat(join(space.root, "a"))).mode & 0o777).toBe(0o644);
  });

  test("see the results of earlier sections", async () => {
    const updates = ["*** Update File: a", "-1", "+one", "*** Update File: a", " one", "-2", "+two"];
    const added = ["*** Add File: n", "+x", "*** Update File: n", "-x", "+y", "*** Move File: n -> m"];
    const { tree } = await patched({ a: "1\n2\n3\n" }, wrap(...updates, ...added));
    expect(tree).toEqual({ a: "one\ntwo\n3\n", m: "y\n" });
  });

  test("leave no trace of files that the patch adds and deletes", async () => {
    const input = wrap("*** Add File: n", "+x", "*** Delete File: n");
    const { tree, details } = await patched({ a: "1\n" }, input);
    expect(tree).toEqual({ a: "1\n" });
    expect(details.changed).toBe(false);
  });

  test("delete links themselves, update through links, and move links as plain files", async () => {
    const space = await temporaryWorkspace({ real: "1\n" });
    for (const name of ["gone", "through", "moved"]) await symlink("real", join(space.root, name));
    await symlink("nowhere", join(space.root, "dangling"));
    const deleted = ["*** Delete File: gone", "*** Delete File: dangling"];
    await patch(space, wrap(...deleted, "*** Update File: through", "-1", "+2"));
    expect(await readFile(join(space.root, "real"), "utf8")).toBe("2\n");
    expect(await readlink(join(space.root, "through"))).toBe("real");
    await expect(lstat(join(space.root, "gone"))).rejects.toMatchObject({ code: "ENOENT" });
    await patch(space, wrap("*** Move File: moved -> plain"));
    expect((await lstat(join(space.root, "plain"))).isFile()).toBe(true);
    expect(await readFile(join(space.root, "real"), "utf8")).toBe("2\n");
  });

  test("reject paths outside the workspace and change nothing", async () => {
    const error = await refused({ a: "1\n" }, wrap("*** Delete File: a", "*** Add File: ../x", "+x"));
    expect(error).toMatchObject({ code: "OUTSIDE_WORKSPACE" });
  });

  const attributes = { ".gitattributes": "*.bat eol=crlf\n" };
  test.each([
    [
      "takes the place of a file",
      { a: "1\n" },
      ["*** Delete File: a", "*** Add File: a/b", "+x"],
      { "a/b": "x\n" },
    ],
    [
      "is empty without lines, and ends in a newline with some",
      {},
      ["*** Add File: a", "*** Add File: b", "+", "+x"],
      { a: "", b: "\nx\n" },
    ],
    [
      "follows the project's conventions",
      attributes,
      ["*** Add File: a.bat", "+1", "+2"],
      { ...attributes, "a.bat": "1\r\n2\r\n" },
    ],
  ])("create an added file %s", async (_, files, lines, tree) => {
    expect((await patched(files as Record<string, string>, wrap(...lines))).tree).toEqual(tree);
  });

  test("remove folders that a failed patch created", async () => {
    const space = await temporaryWorkspace({ a: "1" });
    await mkdir(join(space.root, "locked"));
    await chmod(join(space.root, "locked"), 0o555);
    if (process.getuid?.() === 0) return;
    const made = patch(space, wrap("*** Add File: n/m/x", "+x", "*** Add File: locked/y", "+y"));
    await expect(made).rejects.toMatchObject({ receipt: "none" });
    expect(await readTree(space.root)).toEqual({ a: "1" });
  });
});

test("report a wrong *** End of File as the cause", async () => {
  const input = wrap("*** Update File: a", "@@", "-b", "+B", "*** End of File");
  const error = await refused({ a: "a\nb\nc\n" }, input);
  expect(error.details.conflicts).toMatchObject([{ cause: "not-at-end" }]);
  expect(error.message).toContain("leave that line out");
});

test("do not suggest lines at the end outside the anchor's block as another location", async () => {
  const input = wrap("*** Update File: a", "@@ one:", "-  x", "+  y", "*** End of File");
  const error = await refused({ a: "one:\n  a\ntwo:\n  b\n  x\n" }, input);
  const conflict = { cause: "outside-anchor", places: [{ line: 5 }] };
  expect(error.details.conflicts).toMatchObject([conflict]);
  const both = await refused({ a: "one:\n  x\ntwo:\n  b\n  x\n" }, input);
  expect(both.details.conflicts).toMatchObject([conflict]);
});
