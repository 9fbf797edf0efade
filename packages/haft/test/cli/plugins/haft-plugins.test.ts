import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { appendFile, chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { haft as program } from "../../support/haft.ts";
import { makeHome, moduleWith, pack, readPrintedLine } from "./plugin-packages.ts";

// Packed once for all tests; who installs them has no registry.
const archives = mkdtempSync(join(tmpdir(), "haft-archives-"));
let weather: string;
let newer: string;
let throwing: string;
let noPlugin: string;

beforeAll(async () => {
  const name = "haft-plugin-weather";
  weather = await pack(archives, {
    name,
    module: moduleWith("weather", "forecast"),
    manifest: { scripts: { install: "touch ran-a-script" }, description: "Weather." },
  });
  newer = await pack(archives, { name, version: "1.1.0", module: moduleWith("weather", "outlook") });
  throwing = await pack(archives, {
    name,
    version: "2.0.0",
    module: 'throw new Error("no key for the service");',
  });
  noPlugin = await pack(archives, { name: "left-pad", module: "export const pad = 1;" });
  return () => rmSync(archives, { recursive: true, force: true });
});

const COMMENTED = "# mine\nmodel:   { contextTokens:  5000 } # odd\n";

test("adds, updates and removes a plugin, and survives a broken version", async () => {
  const { haft, config, cwd, env } = await makeHome();
  const file = join(config, "haft.config.yaml");
  await mkdir(config, { recursive: true, mode: 0o700 });
  await writeFile(file, COMMENTED, { mode: 0o600 });

  const added = await haft("plugins", "add", weather, "--json");
  expect(added).toMatchObject({ code: 0 });
  expect(readPrintedLine(added, "plugins add")).toMatchObject({
    use: "haft-plugin-weather",
    plugin: { id: "weather" },
    package: { version: "1.0.0", integrity: expect.stringMatching(/^sha512-/), ours: true },
    configuration: { file, outcome: "changed" },
  });
  expect(await readFile(file, "utf8")).toBe(`${COMMENTED}plugins:\n  - haft-plugin-weather\n`);
  const installed = join(config, "node_modules/haft-plugin-weather");
  expect(await readdir(installed)).not.toContain("ran-a-script");
  // Not where it was packed, which may go; and that version alone.
  const manifest = JSON.parse(await readFile(join(config, "package.json"), "utf8"));
  expect(manifest.dependencies["haft-plugin-weather"]).toMatch(
    /^file:haft-plugins\/haft-plugin-weather-1\.0\.0-\w{8}\.tgz$/,
  );

  const called = await haft("tools", "call", "forecast", '{"place":"x"}');
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining("rain") });
  const listed = await haft("plugins", "list");
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(listed.stdout).toMatch(
    /weather \(haft-plugin-weather\) +1\.0\.0 +ready +forecast, forecast_later\?/,
  );

  const again = await haft("plugins", "add", newer);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("names it already") });
  expect(again.stdout).toContain("outlook");
  expect(await readdir(join(config, "haft-plugins"))).toEqual([expect.stringMatching(/-1\.1\.0-/)]);

  const before = await snapshot(config);
  const failed = await haft("plugins", "add", throwing);
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(failed.stderr).toMatch(/threw while it was loaded: no key for the service.*Nothing was added/s);
  expect(await snapshot(config)).toEqual(before);
  // In a program of its own: this one has loaded the version before.
  const recalled = await program(["tools", "call", "outlook", '{"place":"x"}'], { cwd, env });
  expect(recalled).toMatchObject({ code: 0, stdout: expect.stringContaining("rain") });

  const steps = readPrintedLine(
    await haft("plugins", "remove", "weather", "--dry-run", "--json"),
    "plugins remove --dry-run",
  );
  expect(steps.steps).toEqual([
    expect.stringContaining("remove haft-plugin-weather from"),
    expect.stringContaining("remove the package"),
  ]);
  const removed = await haft("plugins", "remove", "weather");
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining("is removed") });
  expect(await readFile(file, "utf8")).toBe(`${COMMENTED}plugins: []\n`);
  expect(existsSync(installed)).toBe(false);
  expect(existsSync(join(config, "haft-plugins"))).toBe(false);
  expect((await haft("plugins", "list")).stdout).toContain("No configuration names a plugin");
});

/** Everything that decides what is loaded. */
async function snapshot(config: string): Promise<Record<string, string>> {
  const paths = [
    "haft.config.yaml",
    "package.json",
    "package-lock.json",
    "node_modules/haft-plugin-weather/package.json",
    "node_modules/haft-plugin-weather/index.js",
    ...(await readdir(join(config, "haft-plugins"))).map((name) => `haft-plugins/${name}`),
  ];
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => [path, await readFile(join(config, path), "base64")] as const),
    ),
  );
}

describe("a failed installation leaves no files", () => {
  test.each<[string, () => string, RegExp]>([
    [
      "a package that is no plugin",
      () => noPlugin,
      /left-pad has no default export, only pad\..*Nothing was added/s,
    ],
    [
      "a registry that cannot be reached",
      () => "haft-plugin-weather@1.0.0",
      /the registry cannot be reached/,
    ],
  ])("%s", async (_, spec, message) => {
    const { haft, config } = await makeHome();
    const result = await haft("plugins", "add", spec());
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toMatch(message);
    expect(existsSync(config)).toBe(false);
  });

  test("if the configuration has errors", async () => {
    const { haft, config } = await makeHome();
    await mkdir(config, { recursive: true, mode: 0o700 });
    await writeFile(join(config, "haft.config.yaml"), "polcy: {}\n", { mode: 0o600 });
    const result = await haft("plugins", "add", weather);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/haft\.config\.yaml:1: polcy.*policy/s),
    });
    expect(await readdir(config)).toEqual(["haft.config.yaml"]);
  });

  test("if other users can write to the folder", async () => {
    const { haft, config, cwd } = await makeHome();
    await mkdir(config, { recursive: true });
    await chmod(config, 0o777);
    await writeFile(join(cwd, "own.js"), moduleWith("own", "own_tool"));
    const result = await haft("plugins", "add", "./own.js");
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/others may write.*CONFIG_UNSAFE/s),
    });
    expect(await readdir(config)).toEqual([]);
  });

  test("if the folder has two configurations", async () => {
    const { haft, config } = await makeHome();
    await mkdir(config, { recursive: true, mode: 0o700 });
    for (const name of ["haft.config.yaml", "haft.config.json"]) await writeFile(join(config, name), "{}");
    const result = await haft("plugins", "add", weather);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("CONFIG_INVALID") });
  });

  test("if the folder is a file", async () => {
    const { haft, config } = await makeHome();
    await mkdir(join(config, ".."), { recursive: true });
    await writeFile(config, "");
    const result = await haft("plugins", "add", weather);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/FILE_UNWRITABLE|CONFIG_/),
    });
    expect(await readFile(config, "utf8")).toBe("");
  });
});

test("prints the steps with --dry-run and changes nothing", async () => {
  const { haft, config } = await makeHome();
  const result = await haft("plugins", "add", weather, "--dry-run");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toMatch(/install .*weather-1\.0\.0\.tgz in .* with npm .*no script of it runs/);
  expect(result.stdout).toMatch(/try .*store a record.*\n.*create .*haft\.config\.yaml/s);
  expect(existsSync(config)).toBe(false);
});

test("reports name conflicts immediately", async () => {
  const { haft, cwd } = await makeHome();
  await writeFile(join(cwd, "own.js"), moduleWith("own", "read"));
  const result = await haft("plugins", "add", "./own.js");
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/both claim the name "read".*own\/read/s),
  });
});

test("reports that a plugin is inactive until it is configured", async () => {
  const { haft, cwd } = await makeHome();
  const module = `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
const tool = defineTool({ name: "pay", description: "Pays.", parameters: Type.Object({}), effects: [],
  execute: () => ({ content: [text("paid")], details: {} }) });
export default definePlugin({ id: "bank", configSchema: Type.Object({ account: Type.String() }), tools: [tool] });`;
  await writeFile(join(cwd, "bank.mjs"), module);
  const added = await haft("plugins", "add", "./bank.mjs");
  expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining("have its tools") });
  expect(added.stderr).toContain('The configuration of plugin "bank" is invalid.');
  const listed = await haft("plugins", "list");
  expect(listed).toMatchObject({ code: 1, stdout: expect.stringContaining("It has no account (string).") });
  expect(listed.stdout).toMatch(/^bank .* broken +none/m);
});

test("deletes the configuration with its only content, but no other", async () => {
  const { haft, cwd } = await makeHome();
  await writeFile(join(cwd, "own.ts"), moduleWith("own", "own_tool"));
  for (const more of ["", "# mine\n"]) {
    await haft("plugins", "add", "./own.ts", "--config", "c.yaml");
    await appendFile(join(cwd, "c.yaml"), more);
    expect((await haft("plugins", "remove", "own", "--config", "c.yaml")).code).toBe(0);
    expect(existsSync(join(cwd, "c.yaml"))).toBe(more !== "");
  }
});

describe("plugins at their own path", () => {
  test("are added by path to the project's configuration, as a module and as a folder", async () => {
    const { haft, cwd } = await makeHome();
    await mkdir(join(cwd, "tools/pack"), { recursive: true });
    await writeFile(join(cwd, "tools/own.ts"), moduleWith("own", "own_tool"));
    await writeFile(join(cwd, "tools/pack/index.js"), moduleWith("packed", "packed_tool"));
    await writeFile(
      join(cwd, "tools/pack/package.json"),
      '{"name":"pack","type":"module","main":"index.js"}',
    );
    const first = await haft("plugins", "add", "./tools/own.ts", "--project");
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/own_tool.*until you trust it/s) });
    expect((await haft("plugins", "add", "./tools/pack", "--project")).code).toBe(0);
    const file = join(cwd, "haft.config.yaml");
    expect(await readFile(file, "utf8")).toBe("plugins:\n  - ./tools/own.ts\n  - ./tools/pack/index.js\n");
    const removed = await haft("plugins", "remove", "./tools/own.ts", "--project", "--json");
    expect(readPrintedLine(removed, "plugins remove").configuration).toEqual({
      file,
      as: "project",
      outcome: "changed",
    });
    expect(await readFile(file, "utf8")).toBe("plugins:\n  - ./tools/pack/index.js\n");
    const unknown = await haft("plugins", "remove", "pakc", "--project");
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/names no plugin "pakc".*PLUGIN_NOT_FOUND/s),
    });
  });

  test("are not added to a configuration in code, and the line to add is printed", async () => {
    const { haft, cwd } = await makeHome();
    await writeFile(join(cwd, "haft.config.ts"), "export default { plugins: [] };\n");
    await writeFile(join(cwd, "own.ts"), moduleWith("own", "own_tool"));
    const result = await haft("plugins", "add", "./own.ts", "--config", "haft.config.ts");
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Add to its plugins: "./own.ts"'),
    });
    expect(await readFile(join(cwd, "haft.config.ts"), "utf8")).toBe("export default { plugins: [] };\n");
    const removed = await haft("plugins", "remove", "./own.ts", "--config", "haft.config.ts");
    expect(removed).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was removed.") });
    expect(await readFile(join(cwd, "haft.config.ts"), "utf8")).toBe("export default { plugins: [] };\n");
    expect(await readFile(join(cwd, "own.ts"), "utf8")).toBe(moduleWith("own", "own_tool"));
  });
});
