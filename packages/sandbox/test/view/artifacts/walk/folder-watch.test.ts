import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../../../../test/support/until.ts";
import { FolderWatch } from "../../../../src/view/artifacts/walk/folder-watch.ts";
import { tempFolder } from "../../../support.ts";

function aWatch() {
  const [root, privateFolder] = [tempFolder("watched"), tempFolder("own")];
  const folders = [root, join(root, "a"), join(root, "a/b"), join(root, "c")];
  for (const path of folders) mkdirSync(path, { recursive: true });
  const watched = new FolderWatch(privateFolder, [root]);
  onTestFinished(() => watched.close());
  const look = async () => {
    watched.reset();
    const read = folders.map(
      (path) => [path, { changed: lstatSync(path).ctimeMs, number: lstatSync(path).ino }] as const,
    );
    await watched.follow(new Map(read));
  };
  return { root, watched, look };
}

test("is uncertain before all folders are watched", async () => {
  const { watched, look } = aWatch();
  expect(await watched.isQuiet()).toBe(false);
  await look();
  expect(await watched.isQuiet()).toBe(true);
  expect(await watched.isQuiet()).toBe(true);
  watched.reset();
  expect(await watched.isQuiet()).toBe(false);
});

test("detects added, removed and moved entries at once, until the next scan", async () => {
  const { root, watched, look } = aWatch();
  const changes = [
    () => writeFileSync(join(root, "a/b/f"), ""),
    () => renameSync(join(root, "a/b/f"), join(root, "c/f")),
    () => rmSync(join(root, "c/f")),
    () => mkdirSync(join(root, "c/.git")),
  ];
  for (const change of changes) {
    await look();
    await vi.waitFor(async () => {
      if (await watched.isQuiet()) return;
      // Events of the change before, which arrived after the look began.
      await look();
      throw new Error("not quiet");
    }, PATIENCE_MS);
    change();
    expect(await watched.isQuiet()).toBe(false);
  }
});

test("detects a change between a scan and the watch", async () => {
  const { root, watched } = aWatch();
  const { ctimeMs, ino } = lstatSync(root);
  await vi.waitFor(() => {
    writeFileSync(join(root, crypto.randomUUID()), "");
    expect(lstatSync(root).ctimeMs).not.toBe(ctimeMs);
  }, PATIENCE_MS);
  watched.reset();
  await watched.follow(new Map([[root, { changed: ctimeMs, number: ino }]]));
  expect(await watched.isQuiet()).toBe(false);
});
