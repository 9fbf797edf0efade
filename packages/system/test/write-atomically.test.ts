import { writeAtomically } from "@haft/system";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

test("a file is for this user alone, and takes the place of a link", async () => {
  const folder = await temporaryFolder();
  const [real, link] = [join(folder, "real"), join(folder, "link")];
  writeFileSync(real, "one");
  symlinkSync("real", link);
  writeAtomically(link, new Uint8Array([0, 255]));
  expect(lstatSync(link).isSymbolicLink()).toBe(false);
  expect([[...readFileSync(link)], readFileSync(real, "utf8")]).toEqual([[0, 255], "one"]);
  expect(statSync(link).mode & 0o7777).toBe(0o600);
  expect(readdirSync(folder).toSorted()).toEqual(["link", "real"]);
});

test("where nothing can be written, nothing is left", async () => {
  const folder = await temporaryFolder();
  expect(() => writeAtomically(join(folder, "gone/file"), "two")).toThrow("ENOENT");
  mkdirSync(join(folder, "inner"));
  expect(() => writeAtomically(join(folder, "inner"), "two")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(["inner"]);
});
