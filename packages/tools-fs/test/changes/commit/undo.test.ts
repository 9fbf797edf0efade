import { chmod, readdir, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyPatchWith } from "../../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../../src/changes/journal/directory-journal.ts";
import type { DirectoryJournalOptions } from "../../../src/changes/journal/journal.ts";
import { wrap } from "../../support/patch-bench.ts";
import { readTree } from "../../support/read-tree.ts";
import { temporaryWorkspace } from "../../support/temporary-workspace.ts";
import { temporaryFolder } from "../../support/tool-context.ts";
import { AFTER, BEFORE, PATCH } from "../../support/twenty-files.ts";

async function bench(files: Record<string, string | Uint8Array>, options: DirectoryJournalOptions = {}) {
  const space = await temporaryWorkspace(files);
  const folder = temporaryFolder();
  const journal = createDirectoryJournal(folder, options);
  const engine = createChangeEngine({ fs: space.workspace.fs, root: space.root, journal });
  const patch = async (...lines: string[]): Promise<string> => {
    const { report } = await applyPatchWith(engine, wrap(...lines));
    return report.transactionId ?? "";
  };
  return { space, folder, journal, engine, patch };
}

describe("undo", () => {
  test.each(["000000000-abcdefabcdef", "../../etc/passwd"])("rejects the unknown id %s", async (id) => {
    const { engine } = await bench({});
    await expect(engine.undo(id)).rejects.toMatchObject({ code: "TRANSACTION_NOT_FOUND" });
  });

  test("lists the transactions of this workspace, newest first", async () => {
    const { space, journal, engine, patch } = await bench({ a: "1\n" });
    const first = await patch("*** Update File: a", "-1", "+2");
    const second = await patch("*** Add File: b", "+1", "*** Delete File: a");
    const other = createChangeEngine({ fs: space.workspace.fs, root: "/somewhere/else", journal });
    expect(await other.list()).toEqual([]);
    expect(await engine.list()).toMatchObject([
      { id: second, paths: [join(space.root, "b"), join(space.root, "a")], state: "committed" },
      { id: first },
    ]);
    expect(await createChangeEngine({ fs: space.workspace.fs, root: space.root }).list()).toEqual([]);
  });

  test("rejects a transaction of another workspace", async () => {
    const { space, journal, patch } = await bench({ a: "1\n" });
    const id = await patch("*** Update File: a", "-1", "+2");
    const other = createChangeEngine({ fs: space.workspace.fs, root: "/somewhere/else", journal });
    await expect(other.undo(id)).rejects.toMatchObject({
      code: "TRANSACTION_NOT_FOUND",
      fix: expect.stringMatching(/^Undo it from there: `haft undo \S+ --workspace '\//),
    });
  });

  test("rejects files that changed since, names them and changes nothing", async () => {
    const { space, engine, patch } = await bench({ a: "1\n", b: "1\n" });
    const change = ["-1", "+2"];
    const updates = ["*** Update File: a", ...change, "*** Update File: b", ...change];
    const id = await patch(...updates, "*** Add File: c", "+x");
    await space.write("b", "else\n");
    await rm(join(space.root, "c"));
    const error = { code: "UNDO_CONFLICT", details: { paths: ["b", "c"] } };
    await expect(engine.undo(id)).rejects.toMatchObject(error);
    expect(await readTree(space.root)).toEqual({ a: "2\n", b: "else\n" });
  });

  test("rejects transactions that removed links", async () => {
    const { space, engine, patch } = await bench({ a: "1\n" });
    await symlink("a", join(space.root, "link"));
    const undone = engine.undo(await patch("*** Delete File: link"));
    await expect(undone).rejects.toMatchObject({ code: "UNDO_IMPOSSIBLE" });
  });

  test("rejects the deletion of a file too large to store, which the deletion reports", async () => {
    const { space, journal } = await bench({ a: "1\n", big: "x".repeat(100) });
    const { fs } = space.workspace;
    const small = createChangeEngine({ fs, root: space.root, journal, maxFileBytes: 10 });
    const patch = wrap("*** Delete File: big", "*** Update File: a", "-1", "+2");
    const { report, text } = await applyPatchWith(small, patch);
    expect(report.files[0]).toMatchObject({ kind: "deleted", bytesBefore: 100, irreversible: true });
    expect(text).toContain("cannot be undone");
    expect(await readTree(space.root)).toEqual({ a: "2\n" });
    await expect(small.undo(report.transactionId ?? "")).rejects.toMatchObject({ code: "UNDO_IMPOSSIBLE" });
    expect(await readTree(space.root)).toEqual({ a: "2\n" });
  });

  test("restores a file larger than one read of the workspace", async () => {
    const size = 70 * 1024 * 1024;
    const { space, engine, patch } = await bench({ big: Buffer.alloc(size, "abc\n") });
    const id = await patch("*** Delete File: big");
    expect(await readTree(space.root)).toEqual({});
    await engine.undo(id);
    expect((await stat(join(space.root, "big"))).size).toBe(size);
  });

  test("restores every byte and permission of a large patch, and can be undone", async () => {
    const { space, engine } = await bench(BEFORE);
    await chmod(join(space.root, "src/f1.txt"), 0o755);
    const { report } = await applyPatchWith(engine, PATCH);
    expect(await readTree(space.root)).toEqual(AFTER);
    const dry = await engine.undo(report.transactionId ?? "", { dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, changed: true });
    expect(await readTree(space.root)).toEqual(AFTER);
    const undone = await engine.undo(report.transactionId ?? "");
    // The folders are gone too, and paths are as people write them.
    expect(await readTree(space.root)).toEqual(BEFORE);
    expect(undone.files.every(({ path }) => !path.startsWith("/"))).toBe(true);
    expect((await stat(join(space.root, "src/f1.txt"))).mode & 0o777).toBe(0o755);
    await engine.undo(undone.transactionId ?? "");
    expect(await readTree(space.root)).toEqual(AFTER);
  });

  test("restores binary files, line endings and a swap of permissions", async () => {
    const binary = Buffer.from([0, 255, 13, 10, 1]);
    const files = { bin: binary, crlf: "\ufeffa\r\nb\nc", x: "1\n", y: "2\n" };
    const { space, engine, patch } = await bench(files);
    await chmod(join(space.root, "x"), 0o700);
    const swap = ["x -> t", "y -> x", "t -> y"].map((move) => `*** Move File: ${move}`);
    const id = await patch("*** Delete File: bin", "*** Update File: crlf", "-a", "-b", "+B", ...swap);
    await engine.undo(id);
    expect(await space.bytes("bin")).toEqual(binary);
    expect(await space.read("crlf")).toBe("\ufeffa\r\nb\nc");
    expect(await space.read("x")).toBe("1\n");
    expect((await stat(join(space.root, "x"))).mode & 0o777).toBe(0o700);
  });
});

describe("the journal", () => {
  test("is private and rejects invalid ids", async () => {
    const { folder, patch } = await bench({ a: "1\n" });
    const id = await patch("*** Update File: a", "-1", "+2");
    expect(await readdir(folder)).toEqual([`${id}.done`]);
    expect((await stat(join(folder, `${id}.done`))).mode & 0o777).toBe(0o600);
  });

  test("is written before the first change, which fails without it", async () => {
    const { space, folder, patch } = await bench({ a: "1\n" });
    await rm(folder, { recursive: true });
    await writeFile(folder, "a file in the way");
    const error = { code: "JOURNAL_FAILED", receipt: "none" };
    await expect(patch("*** Update File: a", "-1", "+2")).rejects.toMatchObject(error);
    expect(await space.read("a")).toBe("1\n");
  });

  test("stores only replaced content instead of whole files", async () => {
    const { journal, patch } = await bench({ big: "line\n".repeat(100_000) + "last\n" });
    await patch("*** Update File: big", "-last", "+LAST");
    expect((await journal.list())[0]?.size).toBeLessThan(1_000);
  });

  test("ignores and later removes truncated records", async () => {
    const { folder, journal, patch } = await bench({ a: "1\n", b: "1\n" });
    const id = await patch("*** Delete File: a", "*** Update File: b", "-1", "+2");
    await truncate(join(folder, `${id}.done`), 200);
    expect(await journal.list()).toEqual([]);
    expect(await journal.load(id)).toBeUndefined();
    await utimes(join(folder, `${id}.done`), 0, 0);
    await journal.list();
    expect(await readdir(folder)).toEqual([]);
  });

  test("limits the number of transactions and keeps the newest", async () => {
    const { journal, patch } = await bench({ a: "0\n" }, { maxTransactions: 3 });
    for (let n = 0; n < 66; n += 1) await patch("*** Update File: a", `-${n}`, `+${n + 1}`);
    const entries = await journal.list();
    expect(entries.length).toBeLessThanOrEqual(4);
    expect(entries.every(({ state }) => state === "committed")).toBe(true);
  });

  test("has a separate quota for changes outside the host", async () => {
    const { space, journal, patch, folder } = await bench({ a: "0\n" }, { maxTransactions: 40 });
    const mine = await patch("*** Update File: a", "-0", "+1");
    const { fs } = space.workspace;
    const elsewhere = createChangeEngine({ fs, journal, target: "sandbox", root: "/workspace" });
    await applyPatchWith(elsewhere, wrap("*** Add File: b", "+0"));
    for (let n = 0; n < 130; n += 1)
      await applyPatchWith(elsewhere, wrap("*** Update File: b", `-${n}`, `+${n + 1}`));
    const kept = await readdir(folder);
    expect(kept).toContain(`${mine}.done`);
    expect(kept.length).toBeLessThan(1 + 10 + 70);
  });

  test("does not recover transactions of running processes and other workspaces", async () => {
    const { space, journal, engine } = await bench({ a: "1\n", b: "1\n" });
    const after = { hash: "0".repeat(64), size: 0 };
    const steps = ["a", "b"].map((name) => {
      return { kind: "write" as const, path: join(space.root, name), before: null, after, back: [] };
    });
    const scope = `host:${space.root}`;
    await journal.begin({ id: "zzzzzzzzz-000000000000", at: Date.now(), scope, folders: [], steps });
    expect((await journal.list())[0]?.state).toBe("running");
    expect(await engine.recover()).toEqual([]);
    expect(await readTree(space.root)).toEqual({ a: "1\n", b: "1\n" });
  });
});
