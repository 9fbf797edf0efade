import type { FileSystem } from "@haft/plugin-sdk";
import { createHostWorkspace } from "@haft/workspace";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch-tool.ts";
import { applyPatchWith } from "../../src/apply-patch/apply-patch.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { createEditTool } from "../../src/edit/edit-tool.ts";
import { temporaryFolder } from "../support/tool-context.ts";
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

/** The same, with a journal. */
async function undoable(wrap: (fs: FileSystem) => FileSystem = (fs) => fs) {
  const { folder, expectKept } = marked();
  writeFileSync(join(folder, "z.txt"), "z\n");
  const journal = createDirectoryJournal(temporaryFolder());
  const { fs } = createHostWorkspace({ root: folder });
  const engine = createChangeEngine({ fs: wrap(fs), root: folder, journal });
  const patch = async (...lines: string[]): Promise<string> => {
    const input = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    return (await applyPatchWith(engine, input)).report.transactionId ?? "";
  };
  return { engine, patch, folder, expectKept };
}

it("an update with a new name keeps owner, mode and attributes", async () => {
  const { call, folder, expectKept } = marked();
  const lines = ["*** Update File: a.txt", "*** Move to: sub/b.txt", "-1", "+2"];
  await call(createApplyPatchTool(), { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  expect(readFileSync(join(folder, "sub/b.txt"), "utf8")).toBe("2\n");
  expectKept("sub/b.txt");
});

it("what is taken back is whose it was, with its mode and attributes, however often", async () => {
  const { engine, patch, folder, expectKept } = await undoable();
  const moved = await patch("*** Update File: a.txt", "*** Move to: sub/b.txt", "-1", "+2");
  const undone = await engine.undo(moved);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("1\n");
  expect(existsSync(join(folder, "sub"))).toBe(false);
  expectKept("a.txt");
  const again = await engine.undo(undone.transactionId ?? "");
  expect(readFileSync(join(folder, "sub/b.txt"), "utf8")).toBe("2\n");
  expectKept("sub/b.txt");
  chmodSync(join(folder, "sub/b.txt"), 0o600);
  await engine.undo(again.transactionId ?? "");
  expectKept("a.txt");
});

it("what a failed change takes back is whose it was, with its mode and attributes", async () => {
  const { patch, folder, expectKept } = await undoable((fs) => ({
    ...fs,
    async remove(path, options) {
      await fs.remove(path, options);
      if (path.endsWith("z.txt")) throw new Error("after the last step");
    },
  }));
  const lines = ["*** Update File: a.txt", "*** Move to: b.txt", "-1", "+2", "*** Delete File: z.txt"];
  await expect(patch(...lines)).rejects.toMatchObject({ receipt: "none" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("1\n");
  expect(existsSync(join(folder, "b.txt"))).toBe(false);
  expectKept("a.txt");
});

it("an edit keeps owner and mode; extended attributes would cost a process each time", async () => {
  const { call, folder, expectKept } = marked();
  await call(createEditTool(), { path: "a.txt", oldText: "1", newText: "2" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("2\n");
  expectKept("a.txt", { note: false });
});
