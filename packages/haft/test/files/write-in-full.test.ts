import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { chown } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeInFull } from "../../src/files/write-in-full.ts";
import { temporaryFolder } from "../support/haft.ts";

const isRoot = process.getuid?.() === 0;

test("what is replaced keeps its rights, and its owner where that can be given; a link stays one, unless it is what is replaced", async () => {
  const folder = await temporaryFolder();
  const [real, link] = [join(folder, "real"), join(folder, "link")];
  writeFileSync(real, "one");
  chmodSync(real, 0o664);
  if (isRoot) await chown(real, 1234, 2345);
  symlinkSync("real", link);
  writeInFull(link, "two");
  expect(readFileSync(real, "utf8")).toBe("two");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(statSync(real).mode & 0o7777).toBe(0o664);
  if (isRoot) expect(statSync(real)).toMatchObject({ uid: 1234, gid: 2345 });
  writeInFull(link, "three", { replaces: "link", mode: 0o600 });
  expect(lstatSync(link).isSymbolicLink()).toBe(false);
  expect([readFileSync(link, "utf8"), readFileSync(real, "utf8")]).toEqual(["three", "two"]);
  expect(statSync(link).mode & 0o7777).toBe(0o600);
  writeInFull(real, new Uint8Array([0, 255]), { mode: 0o640, flush: true });
  expect([...readFileSync(real)]).toEqual([0, 255]);
  expect(statSync(real).mode & 0o7777).toBe(0o640);
  expect(readdirSync(folder).toSorted()).toEqual(["link", "real"]);
});

test("what cannot be written, or is not to be replaced, is as it was, and nothing else is left", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "file");
  writeFileSync(file, "one");
  const seen: string[] = [];
  const check = (real: string) => {
    seen.push(readFileSync(real, "utf8"));
    throw new Error("It is another by now.");
  };
  expect(() => writeInFull(file, "two", { check })).toThrow("another by now");
  expect([readFileSync(file, "utf8"), seen]).toEqual(["one", ["one"]]);
  expect(() => writeInFull(join(folder, "gone/file"), "two")).toThrow("ENOENT");
  mkdirSync(join(folder, "inner"));
  expect(() => writeInFull(join(folder, "inner"), "two")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  symlinkSync("nowhere", join(folder, "dangling"));
  writeInFull(join(folder, "dangling"), "new");
  expect(readFileSync(join(folder, "dangling"), "utf8")).toBe("new");
  expect(readdirSync(folder).toSorted()).toEqual(["dangling", "file", "inner"]);
});
