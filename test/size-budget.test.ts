import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installedWith } from "../scripts/lib/installed-size.ts";
import { overBudget, sizeText } from "../scripts/lib/size-budget.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-sizes-"));
  install("node_modules/tool", {
    dependencies: { wide: "1", deep: "1" },
    optionalDependencies: { extra: "1" },
  });
  install("node_modules/wide", { dependencies: { deep: "2" } }, 3 * 2 ** 20);
  install("node_modules/wide/node_modules/deep", {});
  install("node_modules/deep", { dependencies: { tool: "1" } });
  install("node_modules/extra", {}, 9 * 2 ** 20);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a package is measured with all that comes with it, each once, in whole blocks", () => {
  expect(installedWith("tool", folder)).toEqual([
    // Its folder and its manifest beside what it holds; not the package that lies inside.
    { name: "wide", bytes: 3 * 2 ** 20 + 2 * 4096 },
    { name: "tool", bytes: 2 * 4096 },
    { name: "deep", bytes: 2 * 4096 },
    { name: "deep", bytes: 2 * 4096 },
  ]);
});

test("what is missing is no small package", () => {
  expect(() => installedWith("gone", folder)).toThrow("gone is not installed.");
});

test("what is over the budget is said with its parts", () => {
  const parts = installedWith("tool", folder);
  expect(sizeText(parts)).toBe("3.0 MB, 4 packages");
  expect(overBudget("tool", parts, { megabytes: 4, packages: 4 })).toEqual([]);
  expect(overBudget("tool", parts, { megabytes: 3, packages: 3 })).toEqual([
    "tool is 3.0 MB on disk, 3 MB at most. The largest parts: wide 3.0 MB, tool 0.0 MB, deep 0.0 MB, deep 0.0 MB",
    "tool brings 4 packages, 3 at most: wide, tool, deep, deep",
  ]);
});

test("a package without a budget fails", () => {
  expect(overBudget("tool", [], undefined)).toEqual([
    "tool has no budget: give it one in scripts/lib/size-budget.ts",
  ]);
});

function install(path: string, manifest: object, bytes = 0): void {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, "package.json"), JSON.stringify(manifest));
  if (bytes > 0) writeFileSync(join(folder, path, "data"), Buffer.alloc(bytes));
}
