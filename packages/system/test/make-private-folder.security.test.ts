import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { site } from "../../workspace/test/support.ts";
import { makePrivateFolder, NotPrivateError } from "../src/files/make-private-folder.ts";

test("it is made for its owner alone, and closed to others where it was open", () => {
  const { base } = site();
  const folder = join(base, "above", "state");
  makePrivateFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  chmodSync(folder, 0o755);
  makePrivateFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("rejects a link and a file", () => {
  const { base, outside } = site();
  mkdirSync(join(outside, "kept"), { mode: 0o755 });
  symlinkSync(join(outside, "kept"), join(base, "link"));
  writeFileSync(join(base, "file"), "");
  for (const path of ["link", "file", "file/below"]) {
    expect(() => makePrivateFolder(join(base, path))).toThrow(NotPrivateError);
  }
  expect(statSync(join(outside, "kept")).mode & 0o777).toBe(0o755);
});
