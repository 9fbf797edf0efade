import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlugin, type CreateOptions } from "../src/create-plugin.ts";
import { EFFECT_CHOICES, PACKAGE_MANAGERS, createPackagePlan, PackageRequestError } from "../src/plan.ts";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-create-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = (more: Partial<CreateOptions> = {}): CreateOptions => ({
  folder: join(folder, "made"),
  manager: "npm",
  install: false,
  git: false,
  version: "1.2.3",
  signal: new AbortController().signal,
  report: () => {},
  ...more,
});
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .toSorted();

test.each([
  ["haft-plugin-weather", "weather", "weather"],
  ["@me/haft-plugin-e-mail", "e-mail", "e_mail"],
  ["maps.eu", "maps-eu", "maps_eu"],
  ["haft-plugin-read", "read", "read_tool"],
  ["haft-plugin-7zip", "7zip", "zip"],
])("%s is the plugin %s with the tool %s", (name, id, tool) => {
  expect(createPackagePlan({ name })).toMatchObject({ name, id, tool, effect: "read" });
});

test.each([
  ["no name", { name: "" }, /is empty/],
  ["capital letters", { name: "Weather" }, /capital letters/],
  ["a path", { name: "../weather" }, /a-z, 0-9/],
  ["a name without letters", { name: "haft-plugin-..." }, /no letters or digits/],
  ["a long name", { name: "a".repeat(215) }, /more than 214/],
  ["a tool with spaces", { name: "a", tool: "my tool" }, /Start with a letter/],
  ["a tool of Haft's own", { name: "a", tool: "exec" }, /exec is a built-in tool of Haft/],
  ["unknown effects", { name: "a", effects: "fly" }, /one of none, read, write, network/],
  ["a description of two lines", { name: "a", description: "one\ntwo" }, /one line/],
])("%s is refused", (_, wishes, message) => {
  expect(() => createPackagePlan(wishes)).toThrow(PackageRequestError);
  expect(() => createPackagePlan(wishes)).toThrow(message);
});

test.each(
  PACKAGE_MANAGERS.flatMap((manager) => EFFECT_CHOICES.map((effects) => [manager, effects] as const)),
)("with %s, a tool that does %s: everything is there, and nothing is left open", async (manager, effects) => {
  const at = join(folder, `${manager}-${effects}`);
  const { files } = await createPlugin(
    createPackagePlan({ name: "@me/haft-plugin-x", effects, tool: "do_it" }),
    options({ folder: at, manager }),
  );
  expect(filesIn(at)).toEqual(files.toSorted());
  expect(files).toEqual(
    expect.arrayContaining([
      "src/index.ts",
      "src/do-it.ts",
      "test/do-it.test.ts",
      "LICENSE",
      "README.md",
      ".gitignore",
    ]),
  );
  for (const path of files)
    expect(readFileSync(join(at, path), "utf8")).not.toMatch(/undefined|(?<!\$)\{\{|\[object|TODO/);
  const manifest = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  expect(manifest["peerDependencies"]).toEqual({ "@haft/plugin-sdk": "^1.2.3" });
  expect(manifest["devDependencies"]).toMatchObject({ haft: "^1.2.3", "@haft/sandbox": "^1.2.3" });
});

test("a folder that is not empty is refused, and nothing in it is touched", async () => {
  const at = join(folder, "full");
  mkdirSync(at);
  writeFileSync(join(at, "mine.txt"), "mine");
  await expect(createPlugin(createPackagePlan({ name: "a" }), options({ folder: at }))).rejects.toThrow(
    /is not empty: it contains mine\.txt/,
  );
  await expect(
    createPlugin(createPackagePlan({ name: "a" }), options({ folder: join(at, "mine.txt") })),
  ).rejects.toThrow(/is a file/);
  expect(filesIn(at)).toEqual(["mine.txt"]);
});

test("an empty folder is taken, with the repository that is in it", async () => {
  const at = join(folder, "empty");
  mkdirSync(join(at, ".git"), { recursive: true });
  await createPlugin(createPackagePlan({ name: "a" }), options({ folder: at, git: true }));
  expect(existsSync(join(at, "package.json"))).toBe(true);
  expect(readdirSync(join(at, ".git"))).toEqual([]);
});

test("leaves no files after a cancellation at any step", async () => {
  const stop = new AbortController();
  const at = join(folder, "stopped");
  const tell = () => stop.abort(new Error("enough"));
  const making = createPlugin(
    createPackagePlan({ name: "a" }),
    options({ folder: at, install: true, signal: stop.signal, report: tell }),
  );
  await expect(making).rejects.toThrow(/enough|aborted/);
  expect(existsSync(at)).toBe(false);
  mkdirSync(at);
  await expect(
    createPlugin(createPackagePlan({ name: "a" }), options({ folder: at, signal: AbortSignal.abort() })),
  ).rejects.toThrow(/enough|aborted/);
  expect(readdirSync(at)).toEqual([]);
  expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
});

test("reports packages that cannot be installed, and creates the rest", async () => {
  const at = join(folder, "offline");
  const packages = { haft: "file:/nowhere/haft.tgz" };
  const { warnings } = await createPlugin(
    createPackagePlan({ name: "a" }),
    options({ folder: at, install: true, packages }),
  );
  expect(warnings).toEqual([
    expect.stringMatching(/not installed: npm install .*Run npm install in the new folder/),
  ]);
  expect(existsSync(join(at, "src/index.ts"))).toBe(true);
});
