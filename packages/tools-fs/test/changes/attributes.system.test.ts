import type { FileSystem } from "@haft/plugin-sdk";
import { createHostWorkspace } from "@haft/workspace";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { createEditTool } from "../../src/edit/edit.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const python = (code: string, path: string) =>
  spawnSync("python3", ["-c", `import os, sys\n${code}`, path], { encoding: "utf8" });
/** Node has no call for extended attributes either, and `setfattr` is seldom installed. */
const setNote = (path: string): boolean =>
  python("os.setxattr(sys.argv[1], 'user.note', b'kept')", path).status === 0;
const noteOf = (path: string): string =>
  python("print(os.getxattr(sys.argv[1], 'user.note').decode(), end='')", path).stdout;

/** A file that is told from any other by its owner (where that can be given away), its mode and, if noted, an attribute. */
function marked(noted = true) {
  const { call, folder } = withFiles({ "a.txt": "1\n" });
  const path = join(folder, "a.txt");
  chmodSync(path, 0o640);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(path, 1234, 1235);
  const isNoted = noted && setNote(path);
  if (noted && !isNoted) {
    const message = "No python3, or no extended attributes: not tried whether they are kept.";
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(message);
    process.stderr.write(`${message}\n`);
  }
  const expectKept = (name: string): void => {
    const { uid, gid, mode } = statSync(join(folder, name));
    expect([uid, gid, mode & 0o7777]).toEqual(
      isRoot ? [1234, 1235, 0o640] : [process.getuid?.(), process.getgid?.(), 0o640],
    );
    if (isNoted) expect(noteOf(join(folder, name))).toBe("kept");
  };
  return { call, folder, expectKept };
}

/** The same, with a journal. */
async function undoable(wrap: (fs: FileSystem) => FileSystem = (fs) => fs, noted = true) {
  const { folder, expectKept } = marked(noted);
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

it("keeps owner, mode and attributes if an update renames the file", async () => {
  const { call, folder, expectKept } = marked();
  const lines = ["*** Update File: a.txt", "*** Move to: sub/b.txt", "-1", "+2"];
  await call(createApplyPatchTool(), { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  expect(readFileSync(join(folder, "sub/b.txt"), "utf8")).toBe("2\n");
  expectKept("sub/b.txt");
});

it("restores owner, mode and attributes on repeated undo", async () => {
  const { engine, patch, folder, expectKept } = await undoable();
  const moved = await patch("*** Update File: a.txt", "*** Move to: sub/b.txt", "-1", "+2");
  const undone = await engine.undo(moved);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("1\n");
  expect(existsSync(join(folder, "sub"))).toBe(false);
  expectKept("a.txt");
  const again = await engine.undo(undone.transactionId ?? "");
  expect(readFileSync(join(folder, "sub/b.txt"), "utf8")).toBe("2\n");
  expectKept("sub/b.txt");
  await engine.undo(again.transactionId ?? "");
  expectKept("a.txt");
});

it("restores owner, mode and attributes after a failed change", async () => {
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

it("keeps owner, mode and attributes of an edited file", async () => {
  const { call, folder, expectKept } = marked();
  await call(createEditTool(), { path: "a.txt", oldText: "1", newText: "2" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("2\n");
  expectKept("a.txt");
});

const hasLists = spawnSync("setfacl", ["--version"]).status === 0 && process.platform === "linux";
const listOf = (path: string): string => spawnSync("getfacl", ["-cpn", path], { encoding: "utf8" }).stdout;

/** A secret that one more user may read, and its group may not. */
async function listed() {
  const made = await undoable((fs) => fs, false);
  const path = join(made.folder, "secret");
  writeFileSync(path, "1\n", { mode: 0o600 });
  expect(spawnSync("setfacl", ["-m", "u:33:r", path]).status).toBe(0);
  return { ...made, path, list: listOf(path) };
}

it.skipIf(!hasLists)("keeps the access list in a patch and its undo", async () => {
  const { engine, patch, path, list } = await listed();
  const id = await patch("*** Update File: secret", "-1", "+2");
  expect([readFileSync(path, "utf8"), listOf(path)]).toEqual(["2\n", list]);
  await engine.undo(id);
  expect([readFileSync(path, "utf8"), listOf(path)]).toEqual(["1\n", list]);
});

it("does not restore permissions that were removed since", async () => {
  const { engine, patch, folder } = await undoable((fs) => fs, false);
  const mode = (name: string): number => statSync(join(folder, name)).mode & 0o7777;
  const edited = await patch("*** Update File: a.txt", "-1", "+2");
  chmodSync(join(folder, "a.txt"), 0o600);
  await engine.undo(edited);
  expect([readFileSync(join(folder, "a.txt"), "utf8"), mode("a.txt")]).toEqual(["1\n", 0o600]);
  const moved = await patch("*** Update File: z.txt", "*** Move to: y.txt", "-z", "+y");
  chmodSync(join(folder, "y.txt"), 0o600);
  await engine.undo(moved);
  expect([readFileSync(join(folder, "z.txt"), "utf8"), mode("z.txt")]).toEqual(["z\n", 0o600]);
  const last = await patch("*** Update File: a.txt", "-1", "+2");
  chmodSync(join(folder, "a.txt"), 0o666);
  await engine.undo(last);
  expect(mode("a.txt")).toBe(0o600);
});

it.skipIf(!hasLists)("does not grant the group permissions of a removed access list", async () => {
  const { engine, patch, folder } = await listed();
  const id = await patch("*** Update File: secret", "*** Move to: moved", "-1", "+2");
  expect(spawnSync("setfacl", ["-b", join(folder, "moved")]).status).toBe(0);
  await engine.undo(id);
  expect(statSync(join(folder, "secret")).mode & 0o7777).toBe(0o600);
});

it.skipIf(!hasLists)("restores a deleted secret for its owner only", async () => {
  const { engine, patch, path } = await listed();
  const id = await patch("*** Delete File: secret");
  await engine.undo(id);
  expect(readFileSync(path, "utf8")).toBe("1\n");
  expect(statSync(path).mode & 0o7777).toBe(0o600);
});

it.skipIf(!hasLists)("restores a secret for its owner only after a failed change", async () => {
  const { folder } = marked(false);
  const path = join(folder, "secret");
  writeFileSync(path, "1\n", { mode: 0o600 });
  writeFileSync(join(folder, "z.txt"), "z\n");
  spawnSync("setfacl", ["-m", "u:33:r", path]);
  const { fs } = createHostWorkspace({ root: folder });
  const remove: FileSystem["remove"] = async (name, options) => {
    await fs.remove(name, options);
    if (name.endsWith("z.txt")) throw new Error("after the last step");
  };
  const engine = createChangeEngine({ fs: { ...fs, remove }, root: folder });
  const input = ["*** Begin Patch", "*** Delete File: secret", "*** Delete File: z.txt", "*** End Patch"];
  await expect(applyPatchWith(engine, input.join("\n"))).rejects.toMatchObject({ receipt: "none" });
  expect(statSync(path).mode & 0o7777).toBe(0o600);
});

it.skipIf(!hasLists)("does not apply a new default list of the folder to a restored file", async () => {
  const { engine, patch, folder } = await undoable((fs) => fs, false);
  const id = await patch("*** Delete File: z.txt");
  spawnSync("setfacl", ["-d", "-m", "u:33:rw", folder]);
  await engine.undo(id);
  expect(listOf(join(folder, "z.txt"))).toMatch(/user:33:rw-\s+#effective:---/);
});

it.skipIf(!hasLists)("keeps a secret private if it is changed and moved over a public file", async () => {
  const { patch, folder, list } = await listed();
  writeFileSync(join(folder, "public"), "1\n", { mode: 0o644 });
  await patch("*** Delete File: public", "*** Update File: secret", "*** Move to: public", "-1", "+2");
  expect([readFileSync(join(folder, "public"), "utf8"), listOf(join(folder, "public"))]).toEqual([
    "2\n",
    list,
  ]);
});

it.skipIf(process.getuid?.() !== 0)("reports that a moved file has another owner", async () => {
  const { folder } = marked(false);
  chmodSync(folder, 0o777);
  chmodSync(join(folder, "a.txt"), 0o666);
  const engine = createChangeEngine({ fs: createHostWorkspace({ root: folder }).fs, root: folder });
  const lines = ["*** Update File: a.txt", "*** Move to: b.txt", "-1", "+2"];
  let said: string;
  process.seteuid?.(4321);
  try {
    const input = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    said = (await applyPatchWith(engine, input)).text;
  } finally {
    process.seteuid?.(0);
  }
  expect(statSync(join(folder, "b.txt")).uid).toBe(4321);
  expect(said).toContain("Note: b.txt has another owner or access list than a.txt");
});
