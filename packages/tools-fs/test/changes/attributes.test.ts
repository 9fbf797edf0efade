import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch-tool.ts";
import { createEditTool } from "../../src/edit/edit-tool.ts";
import { withFiles } from "../support/tree.ts";

const python = (code: string, path: string) =>
  spawnSync("python3", ["-c", `import os, sys\n${code}`, path], { encoding: "utf8" });
/** Node has no call for extended attributes either, and `setfattr` is seldom installed. */
const setNote = (path: string): boolean =>
  python("os.setxattr(sys.argv[1], 'user.note', b'kept')", path).status === 0;
const noteOf = (path: string): string =>
  python("print(os.getxattr(sys.argv[1], 'user.note').decode(), end='')", path).stdout;

/** A file that is told from any other by its owner (where that can be given away), its mode and an attribute. */
function marked() {
  const { call, folder } = withFiles({ "a.txt": "1\n" });
  const path = join(folder, "a.txt");
  chmodSync(path, 0o640);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(path, 1234, 1235);
  const isNoted = setNote(path);
  if (!isNoted) {
    const message = "No python3, or no extended attributes: not tried whether they are kept.";
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(message);
    process.stderr.write(`${message}\n`);
  }
  const expectKept = (name: string, { note = true } = {}): void => {
    const { uid, gid, mode } = statSync(join(folder, name));
    expect([uid, gid, mode & 0o7777]).toEqual(
      isRoot ? [1234, 1235, 0o640] : [process.getuid?.(), process.getgid?.(), 0o640],
    );
    if (isNoted && note) expect(noteOf(join(folder, name))).toBe("kept");
  };
  return { call, folder, expectKept };
}

it("an update with a new name keeps owner, mode and attributes", async () => {
  const { call, folder, expectKept } = marked();
  const lines = ["*** Update File: a.txt", "*** Move to: sub/b.txt", "-1", "+2"];
  await call(createApplyPatchTool(), { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  expect(readFileSync(join(folder, "sub/b.txt"), "utf8")).toBe("2\n");
  expectKept("sub/b.txt");
});

it("an edit keeps owner and mode; extended attributes would cost a process each time", async () => {
  const { call, folder, expectKept } = marked();
  await call(createEditTool(), { path: "a.txt", oldText: "1", newText: "2" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("2\n");
  expectKept("a.txt", { note: false });
});
