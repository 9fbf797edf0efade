import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isGlobalInstall } from "../../src/packages/is-global-install.ts";
import { loadOptionalPackage } from "../../src/packages/optional-package.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const MODULE = join(import.meta.dirname, "../../src/packages/optional-package.ts");

/** Imports it in a program of its own: packages are looked for as Node looks for them. */
function tryIn(folder: string, beside: readonly string[] = []): Record<string, unknown> {
  const program = `
    const { loadOptionalPackage } = await import(${JSON.stringify(MODULE)});
    const wanted = { name: "@haft/extra", what: "haft extra", beside: ${JSON.stringify(beside)}, load: () => import("@haft/extra") };
    try {
      const found = await loadOptionalPackage(wanted);
      console.log(JSON.stringify({ answer: found.answer }));
    } catch ({ code, message, fix, details }) {
      console.log(JSON.stringify({ code, message, fix, details }));
    }`;
  const file = join(folder, "program.mjs");
  writeFileSync(file, program);
  const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=@haft/source", file], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Record<string, unknown>;
}

function folderWith(source: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-optional-"));
  folders.push(folder);
  if (source === undefined) return folder;
  const packageFolder = join(folder, "node_modules/@haft/extra");
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(
    join(packageFolder, "package.json"),
    JSON.stringify({ name: "@haft/extra", type: "module", exports: "./index.js" }),
  );
  writeFileSync(join(packageFolder, "index.js"), source);
  return folder;
}

test("names a missing package, the feature that needs it, and the command that installs it", () => {
  expect(tryIn(folderWith(undefined), ["other-kit"])).toEqual({
    code: "PACKAGE_MISSING",
    message: "haft extra needs @haft/extra, which is not installed beside Haft.",
    fix: expect.stringMatching(/^Install it: npm install @haft\/extra@\d+\.\d+\.\d+ other-kit$/),
    details: { package: "@haft/extra", install: expect.stringContaining("npm install") },
  });
});

test("distinguishes a package with a missing dependency from a missing package", () => {
  const folder = folderWith('import "other-kit"; export const answer = 1;');
  expect(tryIn(folder, ["other-kit"])).toMatchObject({
    code: "PACKAGE_MISSING",
    message: "haft extra needs other-kit, which is not installed beside Haft.",
  });
  expect(tryIn(folder)).toMatchObject({
    code: "ERR_MODULE_NOT_FOUND",
    message: expect.stringContaining("'other-kit'"),
  });
});

test("loads an installed package, and passes on the error of a broken package", () => {
  expect(tryIn(folderWith("export const answer = 42;"))).toEqual({ answer: 42 });
  expect(tryIn(folderWith("throw new Error('out of paper');"))).toMatchObject({ message: "out of paper" });
});

test("does not report other errors as a missing package", async () => {
  const load = () => Promise.reject(new TypeError("Cannot find package '@haft/extra'"));
  await expect(loadOptionalPackage({ name: "@haft/extra", what: "haft extra", load })).rejects.toThrow(
    TypeError,
  );
});

test("suggests a global installation if Haft is installed globally", () => {
  const folder = folderWith(undefined);
  const packageFolder = join(folder, "node_modules/haft/dist");
  expect(isGlobalInstall(packageFolder)).toBe(true);
  writeFileSync(join(folder, "package.json"), "{}");
  expect(isGlobalInstall(packageFolder)).toBe(false);
  expect(isGlobalInstall(join(folder, "packages/haft/src"))).toBe(false);
});
