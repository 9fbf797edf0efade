import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "../../../src/kernel/limits/spool.ts";

let base: string;
beforeAll(() => (base = mkdtempSync(join(tmpdir(), "haft-folders-"))));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test.runIf(existsSync("/proc/self"))("where no folder can be made it says so, and ends", () => {
  for (const path of ["/proc/haft", "/proc/self/a/b", "/proc/self/fd/a"])
    expect(() => makeFolder(path)).toThrow(
      expect.objectContaining({
        code: "ENOENT",
        message: expect.stringMatching(/^no folder can be made in \/proc/),
      }),
    );
});

test("what is no folder stays, and is an error", () => {
  const file = join(base, "file");
  writeFileSync(file, "kept");
  expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(() => makeFolder(join(file, "below"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  const dangling = join(base, "dangling");
  symlinkSync(join(base, "nowhere"), dangling);
  expect(() => makeFolder(dangling)).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(existsSync(join(base, "nowhere"))).toBe(false);
});

test("those above come with it, all with its mode; what is there keeps its own", () => {
  const there = join(base, "there");
  makeFolder(there, 0o755);
  chmodSync(there, 0o750);
  makeFolder(join(there, "a/b/c"), 0o700);
  expect(["", "a", "a/b", "a/b/c"].map((name) => modeOf(join(there, name)))).toEqual([
    0o750, 0o700, 0o700, 0o700,
  ]);
  makeFolder(join(there, "a/../a/b"), 0o777);
  expect(modeOf(join(there, "a/b"))).toBe(0o700);
});

test("a link to a folder is one", () => {
  const link = join(base, "link");
  makeFolder(join(base, "target"));
  symlinkSync(join(base, "target"), link);
  makeFolder(join(link, "inside"));
  expect(existsSync(join(base, "target/inside"))).toBe(true);
});
