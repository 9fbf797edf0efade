import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HOOK_DEPENDENCIES, listHookFolders } from "../../src/hook/run-hook.ts";

it("the packages beside are all that packages of Haft have of others", () => {
  const packages = join(import.meta.dirname, "../../..");
  const others = globSync("*/package.json", { cwd: packages })
    .map((file) => JSON.parse(readFileSync(join(packages, file), "utf8")) as Package)
    .filter(({ name }) => name === "haft" || LOADS.includes(name))
    .flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    // `haft plugins check` alone loads fast-check, and no hook does.
    .filter((name) => !name.startsWith("@haft/") && name !== "fast-check");
  expect(others.toSorted()).toEqual([...HOOK_DEPENDENCIES]);
});

interface Package {
  name: string;
  dependencies?: Record<string, string>;
}
const LOADS = "core guard commands policy sandbox store tools-exec tools-fs workspace mcp nodes plugin-sdk"
  .split(" ")
  .map((name) => `@haft/${name}`);

it.each([
  ["/usr/lib/node_modules/haft/dist", "/usr/lib/node_modules/haft", "/usr/lib/node_modules/yaml"],
  [
    "/p/node_modules/.pnpm/haft@1/node_modules/haft/dist",
    "/p/node_modules/.pnpm/haft@1/node_modules/haft",
    "/p/node_modules/.pnpm/haft@1/node_modules/@haft",
  ],
])("in %s they are told by where it is", (folder, ...paths) => {
  expect(listHookFolders(folder)).toEqual(expect.arrayContaining(paths));
});

it("of a checkout it is the program's own folder", () => {
  expect(listHookFolders("/src/haft/packages/haft/dist")).toEqual(["/src/haft/packages/haft/dist"]);
});
