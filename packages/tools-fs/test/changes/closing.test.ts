import { appendFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyPatch } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { encodeMark, encodeRecord } from "../../src/changes/journal/record-codec.ts";
import type { TransactionStep } from "../../src/changes/journal/transaction.ts";
import { contentHash } from "../../src/changes/text/content-hash.ts";
import { readTree } from "../support/read-tree.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import type { WatchedCall } from "../support/watched-file-system.ts";
import { watchFileSystem } from "../support/watched-file-system.ts";

const NAMES = ["a", "b", "c", "d"];
const OLD = Object.fromEntries(NAMES.map((name) => [name, "old\n"]));
const PATCH = `*** Begin Patch\n${NAMES.map((name) => `*** Update File: ${name}\n@@\n-old\n+new\n`).join("")}*** End Patch`;

async function bench() {
  const space = await temporaryWorkspace(OLD);
  const folder = temporaryFolder();
  const journal = createDirectoryJournal(folder);
  const at = (name: string): string => join(space.root, name);
  const patchWhile = (hook: (call: WatchedCall & { write: number }) => Promise<void>) => {
    let write = 0;
    const fs = watchFileSystem(space.workspace.fs, {
      before: async (call) => {
        if (call.operation === "write") write += 1;
        await hook({ ...call, write });
      },
    });
    return applyPatch(PATCH, { fs, root: space.root, journal }).catch((thrown: unknown) => thrown);
  };
  const recover = () => createChangeEngine({ fs: space.workspace.fs, root: space.root, journal }).recover();
  return { space, folder, journal, at, patchWhile, recover };
}

describe("a change that fails while its process runs", () => {
  test("restores only its own files, not the file that was refused", async () => {
    const { space, journal, at, patchWhile } = await bench();
    let meddled = false;
    const error = await patchWhile(async ({ write }) => {
      if (write !== 2 || meddled) return;
      meddled = true;
      await appendFile(at("d"), "theirs\n");
    });
    expect(error).toMatchObject({ code: "FILE_CHANGED", receipt: "none" });
    expect((error as Error).message).toContain("3 of 4 file operations already done were reverted");
    expect(await readTree(space.root)).toEqual({ ...OLD, d: "old\ntheirs\n" });
    expect(await journal.list()).toEqual([]);
  });

  test("is closed even if a file could not be restored, so recovery ignores it", async () => {
    const { space, journal, at, patchWhile, recover } = await bench();
    let meddled = false;
    const error = await patchWhile(async ({ write }) => {
      if (write !== 3 || meddled) return;
      meddled = true;
      // The very bytes that the patch wrote, but written by someone else: theirs.
      await writeFile(at("a"), "new\n");
      await appendFile(at("d"), "theirs\n");
    });
    expect(error).toMatchObject({
      code: "FILE_CHANGED",
      receipt: "unknown",
      details: { notRestored: [{ path: at("a") }] },
    });
    expect(await readTree(space.root)).toEqual({ ...OLD, a: "new\n", d: "old\ntheirs\n" });
    expect(await journal.list()).toMatchObject([{ state: "failed" }]);
    expect(await journal.list({ unfinished: true })).toEqual([]);
    expect(await recover()).toEqual([]);
  });

  test("reports that nothing was changed if its first file was refused", async () => {
    const { at, patchWhile, space } = await bench();
    let meddled = false;
    const error = await patchWhile(async ({ write }) => {
      if (write !== 1 || meddled) return;
      meddled = true;
      await writeFile(at("a"), "new\n");
    });
    expect(error).toMatchObject({
      code: "FILE_CHANGED",
      receipt: "none",
      details: { operationsDone: 0, notRestored: [] },
    });
    expect((error as Error).message).toMatch(/Nothing was changed\.$/);
    expect(await readTree(space.root)).toEqual({ ...OLD, a: "new\n" });
  });
});

describe("recovery", () => {
  /** No process has this number. */
  const GONE = { pid: 0x7fff_fffe, started: 1 };

  async function crashed(marked: readonly string[], state: Record<string, string>) {
    const made = await bench();
    const { space, folder, at, journal } = made;
    for (const [name, content] of Object.entries(state)) await space.write(name, content);
    const image = (text: string) => ({ hash: contentHash(Buffer.from(text)), size: text.length });
    const steps = NAMES.map((name): TransactionStep => ({
      kind: "write",
      path: at(name),
      before: { ...image("old\n"), mode: 0o644 },
      after: image("new\n"),
      back: [{ start: 0, end: 3, bytes: Buffer.from("old") }],
    }));
    const record = { id: "000000001-abcdefabcdef", at: 1, scope: `host:${space.root}`, steps, folders: [] };
    const marks: string[] = [];
    for (const name of marked) {
      const found = await space.workspace.fs.stat(name);
      marks.push(encodeMark(found?.version ?? null));
    }
    await writeFile(
      join(folder, `${record.id}.open`),
      Buffer.concat([...encodeRecord(record, GONE), Buffer.from(marks.join(""))]),
    );
    expect(await journal.list({ unfinished: true })).toMatchObject([{ state: "open" }]);
    return made;
  }

  test("reverts marked steps and the step in doubt, never later steps", async () => {
    const { space, recover, journal } = await crashed(["a"], { a: "new\n", b: "new\n", d: "new\n" });
    expect(await recover()).toMatchObject([{ outcome: "rolled-back", failed: [] }]);
    expect(await readTree(space.root)).toEqual({ ...OLD, d: "new\n" });
    expect(await journal.list()).toEqual([]);
  });

  test("leaves a file that was written since, even with equal content, and reports it once", async () => {
    const { space, recover, journal, at } = await crashed(["a", "b"], { a: "new\n", b: "new\n" });
    await rm(at("b"));
    await space.write("b", "new\n");
    expect(await recover()).toMatchObject([{ outcome: "incomplete", failed: [{ path: at("b") }] }]);
    expect(await readTree(space.root)).toEqual({ ...OLD, b: "new\n" });
    expect(await recover()).toEqual([]);
    expect(await journal.list()).toMatchObject([{ state: "failed" }]);
    // Work goes on, and stays.
    await space.write("a", "new\n");
    expect(await recover()).toEqual([]);
    expect((await stat(at("a"))).size).toBe(4);
  });

  test("completes a change with all steps marked, regardless of later changes", async () => {
    const { space, recover } = await crashed(NAMES, { a: "new\n", b: "new\n", c: "new\n", d: "new\n" });
    await space.write("a", "newer\n");
    expect(await recover()).toMatchObject([{ outcome: "finished" }]);
    expect(await space.read("a")).toBe("newer\n");
  });
});
