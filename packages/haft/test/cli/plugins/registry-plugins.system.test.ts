import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import type { Line } from "../../support/haft.ts";
import { makeHome, moduleWith, pack, readPrintedLine } from "./plugin-packages.ts";
import { computeIntegrity, serveRegistry } from "./test-registry.ts";

const name = "@acme/haft-plugin-weather";

test("installs the newest version exactly, and reports missing packages", async () => {
  const folder = await temporaryFolder();
  const module = moduleWith("weather", "forecast");
  const older = await pack(folder, { name, version: "1.0.0", module });
  const newest = await pack(folder, { name, version: "1.1.0", module });
  const { haft, config, env } = await makeHome();
  env["npm_config_registry"] = await serveRegistry([
    { name, version: "1.0.0", archive: older },
    { name, version: "1.1.0", archive: newest },
    // Somebody has put something else in its place.
    { name: "haft-plugin-swapped", version: "1.0.0", archive: older, instead: newest },
  ]);

  for (const [spec, why] of [
    ["haft-plugin-nowhere", "has no package of that name"],
    [`${name}@9.9.9`, "has no such version"],
    ["haft-plugin-swapped", "the fetched package has the wrong integrity"],
  ] as const) {
    const failed = await haft("plugins", "add", spec);
    expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(why) });
    expect(existsSync(config)).toBe(false);
  }

  const added = await haft("plugins", "add", name, "--json");
  expect(added).toMatchObject({ code: 0 });
  expect(readPrintedLine(added, "plugins add")).toMatchObject({
    use: name,
    package: { version: "1.1.0", integrity: computeIntegrity(newest), ours: true },
  });
  const manifest = JSON.parse(await readFile(join(config, "package.json"), "utf8"));
  expect(manifest.dependencies).toEqual({ [name]: "1.1.0" });

  // A package manager by hand: another version is there than was pinned.
  const installed = join(config, "node_modules", name);
  const other = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  await rm(join(installed, "package.json"));
  await writeFile(join(installed, "package.json"), JSON.stringify({ ...other, version: "1.0.0" }));
  const why = readPrintedLine(await haft("plugins", "why", name, "--json"), "plugins why").reasons[0];
  expect(why).toMatchObject({
    there: false,
    code: "PLUGIN_CHANGED",
    reason: expect.stringContaining("was pinned as 1.1.0, and version 1.0.0 is installed"),
    fix: `haft plugins add ${name}@1.0.0 pins the present version; haft plugins add ${name}@1.1.0 restores the pinned version.`,
  });
});

test("updates shared packages of plugins, unless that breaks one of them", async () => {
  const folder = await temporaryFolder();
  const using = (id: string) =>
    `import { unit } from "haft-units";\n${moduleWith(id, `${id}_tool`)}\nexport { unit };\n`;
  const units = async (version: string, module: string) => ({
    name: "haft-units",
    version,
    archive: await pack(folder, { name: "haft-units", version, module }),
  });
  const plugin = async (id: string, range: string) => {
    const manifest = { dependencies: { "haft-units": range } };
    const archive = await pack(folder, { name: `haft-plugin-${id}`, module: using(id), manifest });
    return { name: `haft-plugin-${id}`, version: "1.0.0", archive, manifest };
  };
  const published = [
    await units("1.0.0", "export const unit = 1;"),
    await plugin("one", "^1.0.0"),
    await plugin("two", "^1.1.0"),
    await plugin("three", "^1.2.0"),
  ];
  const { haft, env } = await makeHome();
  env["npm_config_registry"] = await serveRegistry(published);
  expect((await haft("plugins", "add", "haft-plugin-one")).code).toBe(0);

  published.push(await units("1.1.0", "export const unit = 2;"));
  expect((await haft("plugins", "add", "haft-plugin-two")).code).toBe(0);
  const { plugins } = readPrintedLine(await haft("plugins", "list", "--json"), "plugins list");
  expect(plugins.map(({ id, state }: Line) => [id, state])).toEqual([
    ["one", "ready"],
    ["two", "ready"],
  ]);

  published.push(await units("1.2.0", "export const units = 3;"));
  const failed = await haft("plugins", "add", "haft-plugin-three");
  expect(failed).toMatchObject({ code: 1, stdout: "" });
  expect(failed.stderr).toMatch(
    /haft-plugin-three does not go with haft-plugin-one, which is pinned: .*does not provide an export/,
  );
  expect(await haft("plugins", "list")).toMatchObject({ code: 0 });
});
