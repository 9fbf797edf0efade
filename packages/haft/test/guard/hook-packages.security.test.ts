import { HOOK_DEPENDENCIES, listHookFolders } from "@haft/guard/internal/hook";
import { globSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { claude, hook, makeHome, project, readReason } from "./guard-home.ts";

beforeEach(() => makeHome('deny: ["exec(rm -rf *)"]\nask: ["exec(git push*)"]\n'));

const writing = (file_path: string) =>
  claude("", { tool_name: "Write", tool_input: { file_path, content: "process.exit(0)" } });
const decided = async (input: string) => readReason((await hook(input)).stdout);

it.each([
  "haft/package.json",
  "haft/dist/index.js",
  "@haft/store/dist/index.js",
  "@haft/policy/dist/index.js",
])("denies an agent's writes to packages of the hook: %s", async (path) => {
  const file = join(project, "node_modules", path);
  expect(await decided(writing(file))).toMatch(/it would change the files or rules of Haft/);
  expect(await decided(claude(`echo 'process.exit(0)' > node_modules/${path}`))).toMatch(
    /the files or rules of Haft/,
  );
  expect(await decided(writing(join(project, "node_modules/other", path.split("/").at(-1)!)))).toBe("");
});

it("denies writes to the Node of the hook, which the agent can still start", async () => {
  const node = realpathSync(process.execPath);
  expect(await decided(writing(node))).toMatch(/the files or rules of Haft/);
  expect(await decided(claude(`cp /tmp/x ${node}`))).toMatch(/the files or rules of Haft/);
  expect(await decided(claude(`${node} build.js`))).toBe("");
});

it("asks about commands that Haft would run for it, because they are not visible", async () => {
  for (const text of [
    `haft tools call exec '{"command":"rm -rf x"}'`,
    "haft run < calls.jsonl",
    `npx haft tools call exec '{"command":"rm -rf x"}'`,
    `node node_modules/haft/dist/cli.js call exec '{"command":"rm -rf x"}'`,
  ])
    expect([text, await decided(claude(text))]).toEqual([
      text,
      expect.stringMatching(/needs approval|denied/),
    ]);
  for (const text of ["haft tools", `haft explain exec '{"command":"rm -rf x"}'`, "haft guard status"])
    expect([text, await decided(claude(text))]).toEqual([text, ""]);
});

it("covers all packages that packages of Haft import", () => {
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
])("finds the packages by their path in %s", (folder, ...paths) => {
  expect(listHookFolders(folder)).toEqual(expect.arrayContaining(paths));
});

it("covers the folder of the program in a checkout", () => {
  expect(listHookFolders("/src/haft/packages/haft/dist")).toEqual(["/src/haft/packages/haft/dist"]);
});
