import { makeFolder } from "@haft/utils";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, test } from "vitest";
import { createSpool, type Spooled } from "../../../src/kernel/limits/spool.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "haft-spool-test-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const pathOf = (spooled: Spooled): string => {
  if (spooled.path === undefined) throw new Error(spooled.reason);
  return spooled.path;
};

it("loses only the copy if the folder cannot be created", () => {
  writeFileSync(join(dir, "file"), "");
  expect(createSpool({ dir: join(dir, "file") }).write("x")).toMatchObject({
    reason: expect.stringMatching(/EEXIST|ENOTDIR/),
  });
});

it("leaves no file behind after a failed write", () => {
  const spool = createSpool({ dir });
  const folder = dirname(pathOf(spool.write("x")));
  writeFileSync(join(folder, "result-2.txt"), "somebody else's");
  expect(spool.write("y")).toMatchObject({ reason: expect.stringContaining("EEXIST") });
});

it("limits bytes and files, and gives the reason", () => {
  const small = createSpool({ dir, maxBytes: 10 });
  expect(small.write("é".repeat(6))).toEqual({ reason: "the spool holds at most 10 bytes" });
  expect(small.write("é".repeat(5))).toMatchObject({ bytes: 10 });
  expect(small.write("x")).toMatchObject({ reason: expect.any(String) });
  const few = createSpool({ dir, maxFiles: 1 });
  few.write("x");
  expect(few.write("y")).toEqual({ reason: "the spool already holds 1 files" });
});

it("removes its files on close and stores nothing later", async () => {
  const spool = createSpool({ dir });
  spool.write("x");
  await spool.close();
  await spool.close();
  expect(readdirSync(dir)).toEqual([]);
  expect(spool.write("y")).toEqual({ reason: "the session is closed" });
});

it("creates nothing without a text", async () => {
  await createSpool({ dir: join(dir, "never") }).close();
  expect(readdirSync(dir)).toEqual([]);
});

it("is private in any folder", () => {
  chmodSync(dir, 0o777);
  const path = pathOf(createSpool({ dir }).write("grün"));
  expect(readFileSync(path, "utf8")).toBe("grün");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

it("stores ten megabytes completely", () => {
  const text = "line 😀\n".repeat(1_000_000);
  const spooled = createSpool({ dir }).write(text);
  expect(spooled).toMatchObject({ bytes: Buffer.byteLength(text) });
  expect(readFileSync(pathOf(spooled), "utf8") === text).toBe(true);
});

let base: string;
beforeAll(() => (base = mkdtempSync(join(tmpdir(), "haft-folders-"))));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test.runIf(existsSync("/proc/self"))("reports that no folder can be created, and ends", () => {
  for (const path of ["/proc/haft", "/proc/self/a/b", "/proc/self/fd/a"])
    expect(() => makeFolder(path)).toThrow(
      expect.objectContaining({
        code: "ENOENT",
        message: expect.stringMatching(/^no folder can be made in \/proc/),
      }),
    );
});

test("fails for an existing file and keeps it", () => {
  const file = join(base, "file");
  writeFileSync(file, "kept");
  expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(() => makeFolder(join(file, "below"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  const dangling = join(base, "dangling");
  symlinkSync(join(base, "nowhere"), dangling);
  expect(() => makeFolder(dangling)).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(existsSync(join(base, "nowhere"))).toBe(false);
});

test("creates parent folders with its mode, and keeps the mode of existing folders", () => {
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

test("accepts a link to a folder", () => {
  const link = join(base, "link");
  makeFolder(join(base, "target"));
  symlinkSync(join(base, "target"), link);
  makeFolder(join(link, "inside"));
  expect(existsSync(join(base, "target/inside"))).toBe(true);
});
