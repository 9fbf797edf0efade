import { openSqliteStore } from "@haft/store";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aGrant, aRequest } from "../../../core/test/support/approval-samples.ts";
import { folderApprovals } from "../../src/approvals/folder-approvals.ts";
import { moveFolder } from "../../src/approvals/move-folder.ts";
import { temporaryFolder } from "../support/haft.ts";

/** A state folder in which an earlier version allowed two things, one of them used. */
async function olderState() {
  const state = await temporaryFolder();
  const folder = join(state, "approvals");
  const older = folderApprovals(folder);
  onTestFinished(() => older.close());
  await older.addGrant(aGrant("first123", { by: "ada", createdAt: Date.now() - 1_000 }));
  await older.addGrant(aGrant("other123", { sessionKey: "t" }));
  await older.useGrant("first123");
  const open = () => {
    const store = openSqliteStore({ path: join(state, "haft.db") });
    onTestFinished(() => store.close());
    return store.approvals;
  };
  return { folder, older, open };
}

const idsOf = (grants: readonly { id: string }[]): string[] => grants.map(({ id }) => id).toSorted();

describe("the folder of earlier versions", () => {
  test("becomes the store, with its uses, and is put aside", async () => {
    const { folder, open } = await olderState();
    const store = open();
    expect(await moveFolder(folder, store)).toBeUndefined();
    const [first] = await store.grants({ agentId: "main", sessionKey: "s" });
    expect(first).toMatchObject({ id: "first123", by: "ada", used: 1, lastUsedAt: expect.any(Number) });
    expect(idsOf(await store.allGrants())).toEqual(["first123", "other123"]);
    expect(existsSync(folder)).toBe(false);
    expect(await readdir(join(`${folder}.moved`, "grants"))).toEqual(["first123.json", "other123.json"]);
  });

  test("is taken over once, however many do it at the same time", async () => {
    const { folder, open } = await olderState();
    const stores = Array.from({ length: 4 }, open);
    await Promise.all(stores.map((store) => moveFolder(folder, store)));
    expect(idsOf(await stores[0]!.allGrants())).toEqual(["first123", "other123"]);
    expect(existsSync(folder)).toBe(false);
  });

  test("is taken over by the next, where somebody died in the middle, and what was revoked meanwhile stays so", async () => {
    const { folder, older, open } = await olderState();
    const store = open();
    // It had copied what there was, and not yet put the folder aside.
    for (const grant of await older.allGrants()) await store.addGrant(grant);
    await store.revoke("first123");
    await moveFolder(folder, open());
    expect(idsOf(await store.allGrants())).toEqual(["other123"]);
    expect(existsSync(folder)).toBe(false);
  });

  test("stays while an older Haft asks in it, and what is allowed there counts for both", async () => {
    const { folder, older, open } = await olderState();
    await older.addRequest(aRequest("alive123"));
    const store = open();
    const warnings: string[] = [];
    const found = await moveFolder(folder, store, { warn: (message) => void warnings.push(message) });
    expect(await found?.requests()).toMatchObject([{ approvalId: "alive123" }]);
    expect(warnings).toEqual([expect.stringMatching(/^An older Haft still runs and asks in /)]);
    expect(idsOf(await store.allGrants())).toEqual(["first123", "other123"]);
    await older.addGrant(aGrant("later123"));
    await older.removeRequest("alive123");
    expect(await moveFolder(folder, store)).toBeUndefined();
    expect(idsOf(await store.allGrants())).toEqual(["first123", "later123", "other123"]);
  });

  test("is put aside again, under another name, when an older Haft made a new one", async () => {
    const { folder, open } = await olderState();
    const store = open();
    await moveFolder(folder, store);
    await folderApprovals(folder).addGrant(aGrant("again123"));
    await moveFolder(folder, store);
    expect(idsOf(await store.allGrants())).toEqual(["again123", "first123", "other123"]);
    expect(existsSync(`${folder}.moved-2`)).toBe(true);
  });

  test("has what is damaged left in it and named where it lies then", async () => {
    const { folder, open } = await olderState();
    await writeFile(join(folder, "grants", "torn1234.json"), '{"id":"torn12', { mode: 0o600 });
    const warnings: string[] = [];
    const store = open();
    await moveFolder(folder, store, { warn: (message) => void warnings.push(message) });
    const torn = join(`${folder}.moved`, "grants", "torn1234.json");
    expect(warnings).toEqual([expect.stringContaining(torn)]);
    expect(await readFile(torn, "utf8")).toBe('{"id":"torn12');
    expect(idsOf(await store.allGrants())).toEqual(["first123", "other123"]);
  });

  test("is not mistaken for what somebody else put there", async () => {
    const { folder, open } = await olderState();
    await rename(join(folder, "grants"), join(folder, "mine"));
    await mkdir(join(folder, "grants"), { mode: 0o700 });
    const store = open();
    await moveFolder(folder, store);
    expect(await store.allGrants()).toEqual([]);
    expect(await readdir(join(`${folder}.moved`, "mine"))).toHaveLength(2);
  });
});
