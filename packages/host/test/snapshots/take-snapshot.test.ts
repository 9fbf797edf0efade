import { createHostWorkspace } from "@haft/workspace";
import { existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { SnapshotStore } from "../../src/snapshots/snapshot-store.ts";
import { takeSnapshot } from "../../src/snapshots/take-snapshot.ts";

async function createFixture() {
  const root = await temporaryFolder();
  const folder = join(getStateFolder(root), "snapshots");
  const store = new SnapshotStore(folder);
  const put = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const take = (runId = "run1", bounds?: Parameters<typeof takeSnapshot>[3]) =>
    takeSnapshot(createHostWorkspace({ root }), runId, store, bounds);
  const objects = () =>
    readdirSync(join(folder, "objects"), { recursive: true }).filter((name) => String(name).includes("/"));
  return { root, folder, store, put, take, objects };
}

describe("a snapshot", () => {
  it("stores each content once, and links as links", async () => {
    const { root, put, take, store, objects } = await createFixture();
    put("a.txt", "same");
    put("src/b.txt", "same");
    put("__proto__", "of any name");
    mkdirSync(join(root, "empty"));
    symlinkSync("../outside", join(root, "link"));
    put("hard.txt", "of two names");
    linkSync(join(root, "hard.txt"), join(root, "hard2.txt"));
    const { files, links, folders, leftOut } = await take();
    expect(Object.keys(files).toSorted()).toEqual(["__proto__", "a.txt", "src/b.txt"]);
    expect({ ...links }).toEqual({ link: "../outside" });
    expect(folders).toEqual(["empty"]);
    // Another name of a file may lead out of the workspace, so file tools do not read it.
    expect(leftOut.map(({ path, why }) => [path, why])).toEqual([
      ["hard.txt", "closed"],
      ["hard2.txt", "closed"],
    ]);
    expect(objects()).toHaveLength(2);
    writeFileSync(join(root, "a.txt"), "else");
    expect(Buffer.from(store.readContent(store.find("run1")!.files["a.txt"]![0])!).toString()).toBe("same");
  });

  it("omits ignored files, packages and closed files, and lists them", async () => {
    const { put, take } = await createFixture();
    put(".gitignore", "dist\n*.log\n");
    put("dist/out.js", "x");
    put("a.log", "x");
    put("node_modules/left/index.js", "x");
    put(".ssh/id_ed25519", "x");
    put(".git/HEAD", "ref: refs/heads/main\n");
    const { files, leftOut } = await take();
    expect(Object.keys(files).toSorted()).toEqual([".git/HEAD", ".gitignore"]);
    const why = Object.fromEntries(leftOut.map((one) => [one.path, one.why]));
    expect(why).toMatchObject({ dist: "ignored", "a.log": "ignored", node_modules: "packages" });
    expect(Object.entries(why).filter(([path]) => path.startsWith(".ssh"))).toEqual([
      [expect.any(String), "closed"],
    ]);
  });

  it("respects its limits, and stores a repository completely or not at all", async () => {
    const { put, take } = await createFixture();
    put(".git/HEAD", "x".repeat(50));
    put("a", "x".repeat(10));
    put("b", "x".repeat(60));
    put("c", "x".repeat(30));
    const { files, leftOut } = await take("run1", { files: 10, bytes: 60, fileBytes: 55 });
    expect(Object.keys(files)).toEqual(["a", "c"]);
    expect(leftOut).toEqual([
      { path: "b", why: "large" },
      { path: ".git", why: "bound" },
    ]);
    expect(Object.keys((await take("run2", { files: 1, bytes: 1_000, fileBytes: 55 })).files)).toEqual(["a"]);
  });

  it("is removed with its run, without contents that other snapshots use", async () => {
    const { put, take, store, objects, folder } = await createFixture();
    put("a", "one");
    await take("run1");
    put("b", "two");
    await take("run2");
    await store.sweep(async (runId) => runId === "run2");
    expect([store.find("run1"), objects()]).toEqual([undefined, expect.objectContaining({ length: 2 })]);
    await store.sweep(async () => false);
    expect(objects()).toEqual([]);
    await take("run3");
    await store.sweep(async () => true, Date.now() + 31 * 86_400_000);
    expect(store.find("run3")).toBeUndefined();
    expect(existsSync(join(folder, "runs"))).toBe(true);
  });
});
