import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { builtFile } from "../src/programs/built-file.ts";

const folder = () => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "haft-built-")));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

test("a package that is not installed is named", () => {
  const from = pathToFileURL(join(folder(), "index.js")).href;
  expect(() => builtFile("haft-there-is-none", "a.js", from)).toThrow("haft-there-is-none");
});

// A sandbox shows folders where they are: a link to a folder that is not shown leads nowhere.
test("a package behind a symbolic link, as pnpm installs it, is found where it is", () => {
  const root = folder();
  mkdirSync(join(root, "store/x"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  writeFileSync(
    join(root, "store/x/package.json"),
    '{ "name": "x", "exports": { "./package.json": "./package.json" } }',
  );
  symlinkSync("../store/x", join(root, "node_modules/x"));
  const from = pathToFileURL(join(root, "index.js")).href;
  expect(builtFile("x", "a.js", from).href).toBe(pathToFileURL(join(root, "store/x/dist/a.js")).href);
});
