import type { FileSystem } from "@haft/core";
import { HaftError } from "@haft/core";
import { describe, expect, test } from "vitest";
import { pickShare } from "../../../../../test/support/share.ts";
import { applyPatch } from "../../../src/apply-patch/apply-patch-text.ts";
import { createDirectoryJournal } from "../../../src/changes/journal/directory-journal.ts";
import { readTree } from "../../support/read-tree.ts";
import { temporaryWorkspace } from "../../support/temporary-workspace.ts";
import { temporaryFolder } from "../../support/tool-context.ts";
import { AFTER, BEFORE, PATCH } from "../../support/twenty-files.ts";
import type { WatchedCall } from "../../support/watched-file-system.ts";
import { watchFileSystem } from "../../support/watched-file-system.ts";

const temporaryJournal = () => createDirectoryJournal(temporaryFolder());

const diskFull = (): HaftError =>
  new HaftError("DISK_FULL", "The disk is full.", { category: "operational" });

/** Fails the call of one number, and every later one that needs space, as a full disk does. */
async function failing(at: number, side: "before" | "after", journaled: boolean) {
  const space = await temporaryWorkspace(BEFORE);
  let reached = false;
  const hook = ({ number, changes }: WatchedCall): void => {
    if (number !== at || !changes) return;
    reached = true;
    throw diskFull();
  };
  const fs = watchFileSystem(space.workspace.fs, { [side]: hook });
  const journal = journaled ? temporaryJournal() : undefined;
  const error = await applyPatch(PATCH, { fs, root: space.root, ...(journal ? { journal } : {}) }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, reached, tree: await readTree(space.root), entries: (await journal?.list()) ?? [] };
}

async function callsInAll(): Promise<WatchedCall[]> {
  const space = await temporaryWorkspace(BEFORE);
  const calls: WatchedCall[] = [];
  await applyPatch(PATCH, {
    fs: watchFileSystem(space.workspace.fs, { before: (call) => void calls.push(call) }),
  });
  return calls;
}

describe("an operation that fails", () => {
  test.each(["before", "after"] as const)(
    "%s it took effect: changes nothing and reports it",
    async (side) => {
      const all = (await callsInAll()).filter(({ changes }) => changes);
      expect(all.length).toBeGreaterThan(20);
      // Every sixth; each in `npm run soak -- kills`.
      for (const { number } of pickShare(all, 6)) {
        const { error, reached, tree, entries } = await failing(number, side, number % 2 === 0);
        expect({ number, reached }).toEqual({ number, reached: true });
        expect(error).toMatchObject({ code: "DISK_FULL", receipt: "none", details: { notRestored: [] } });
        expect((error as Error).message).toMatch(/^The disk is full\. Nothing was changed/);
        expect(tree).toEqual(BEFORE);
        expect(entries).toEqual([]);
      }
    },
  );

  test("names a file that cannot be restored", async () => {
    const space = await temporaryWorkspace(BEFORE);
    let writes = 0;
    const fs = watchFileSystem(space.workspace.fs, {
      before: ({ operation }) => {
        if (operation === "write") writes += 1;
        if (operation === "write" && writes > 6) throw diskFull();
        if (operation === "remove" && writes > 6) throw diskFull();
      },
    });
    const journal = temporaryJournal();
    const error = await applyPatch(PATCH, { fs, root: space.root, journal }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "DISK_FULL", receipt: "unknown" });
    const { notRestored } = (error as HaftError).details as { notRestored: { path: string }[] };
    expect(notRestored.length).toBeGreaterThan(0);
    expect((error as Error).message).toContain(notRestored[0]?.path);
    // What is not named is as it was; what is named can still be restored from the journal.
    const tree = await readTree(space.root);
    const named = new Set(notRestored.map(({ path }) => path.slice(space.root.length + 1)));
    for (const [path, content] of Object.entries(BEFORE))
      if (!named.has(path)) expect(tree[path]).toBe(content);
    expect(await journal.list()).toHaveLength(1);
  });
});

describe("an abort", () => {
  test("at any call changes everything or nothing", async () => {
    // Every sixth; each in `npm run soak -- kills`.
    for (const { number } of pickShare(await callsInAll(), 6)) {
      const space = await temporaryWorkspace(BEFORE);
      const controller = new AbortController();
      const fs = watchFileSystem(space.workspace.fs, {
        before: (call) => {
          if (call.number === number) controller.abort();
        },
      });
      const outcome = await applyPatch(PATCH, { fs, signal: controller.signal }).then(
        () => "done",
        (error: unknown) => error as HaftError,
      );
      const tree = await readTree(space.root);
      if (outcome === "done") expect(tree).toEqual(AFTER);
      else {
        expect(outcome).toMatchObject({ code: "ABORTED", receipt: "none" });
        expect(tree).toEqual(BEFORE);
      }
    }
  });
});

describe("a file that changes between plan and commit", () => {
  test("is not overwritten, and nothing else is changed", async () => {
    const space = await temporaryWorkspace(BEFORE);
    let meddled = false;
    const real = space.workspace.fs;
    const fs: FileSystem = watchFileSystem(real, {
      before: async ({ changes }) => {
        if (!changes || meddled) return;
        meddled = true;
        await real.write("src/f19.txt", Buffer.from("somebody else's\n"));
      },
    });
    const error = await applyPatch(PATCH, { fs }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "FILE_CHANGED" });
    expect(await readTree(space.root)).toEqual({ ...BEFORE, "src/f19.txt": "somebody else's\n" });
  });

  test("is not mistaken for our version if it changes right after its write", async () => {
    const space = await temporaryWorkspace({ a: "1\n" });
    const real = space.workspace.fs;
    let writes = 0;
    const fs = watchFileSystem(real, {
      before: async ({ operation }) => {
        if (operation === "write") writes += 1;
        if (operation === "write" || writes !== 1) return;
        writes += 1;
        await real.write("a", Buffer.from("theirs\n"));
      },
    });
    const error = await applyPatch("*** Begin Patch\n*** Update File: a\n-1\n+2\n*** End Patch", {
      fs,
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "FILE_CHANGED", receipt: "unknown" });
    expect(await space.read("a")).toBe("theirs\n");
  });
});
