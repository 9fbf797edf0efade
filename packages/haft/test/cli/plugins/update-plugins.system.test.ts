import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { type Home, makeHome, moduleWith, pack, readPrintedLine } from "./plugin-packages.ts";
import { type PublishedPackage, serveRegistry } from "./test-registry.ts";

const name = "haft-plugin-weather";

const withConfig = (module: string, keys: object, required: string[]) =>
  module.replace(
    "  contract: 1,",
    `  contract: 1,\n  configSchema: ${JSON.stringify({ type: "object", properties: keys, required })},`,
  );

const FIRST = withConfig(moduleWith("weather", "forecast"), { units: { type: "string" } }, ["units"]);
const SECOND = FIRST.replaceAll("place:", "city:")
  .replace('required: ["place"]', 'required: ["city"]')
  .replace('effects: ["network"]', 'effects: ["network", "write"]');

interface Installed extends Home {
  publish(version: string, module: string): Promise<void>;
  versions(): Promise<Record<string, string>>;
}

async function installed(config: string): Promise<Installed> {
  const folder = await temporaryFolder();
  const home = await makeHome();
  const published: PublishedPackage[] = [];
  home.env["npm_config_registry"] = await serveRegistry(published);
  const publish = async (version: string, module: string): Promise<void> => {
    published.push({ name, version, archive: await pack(folder, { name, version, module }) });
  };
  await publish("0.1.0", FIRST);
  expect((await home.haft("plugins", "add", name)).code).toBe(0);
  await writeFile(join(home.config, "haft.config.yaml"), config, { mode: 0o600 });
  const versions = async () =>
    JSON.parse(await readFile(join(home.config, "package.json"), "utf8")).dependencies as Record<
      string,
      string
    >;
  return { ...home, publish, versions };
}

const FITTING = `plugins:\n  - use: ${name}\n    config: { units: metric }\n`;

describe("haft plugins update", () => {
  test("prints the changes, with --dry-run changes nothing, and installs the newest version", async () => {
    const { haft, publish, versions } = await installed(FITTING);
    await publish("0.2.0", SECOND);
    const expected = [
      `${name} 0.1.0 → 0.2.0`,
      "  forecast: effects: network, write (before: network)",
      "  forecast: removed parameter place",
      "  forecast: new required parameter city",
    ].join("\n");
    const dry = await haft("plugins", "update", "--dry-run");
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining(expected) });
    expect(dry.stdout).toContain("Nothing was changed.");
    expect(await versions()).toEqual({ [name]: "0.1.0" });
    expect((await haft("plugins", "info", name)).stdout).toContain("0.1.0");

    const updated = await haft("plugins", "update");
    expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining(expected) });
    expect(updated.stdout).toContain(`Updated ${name}.`);
    expect(await versions()).toEqual({ [name]: "0.2.0" });

    const again = readPrintedLine(await haft("plugins", "update", "--json"), "plugins update");
    expect(again.plugins).toEqual([
      { use: name, from: "0.2.0", to: "0.2.0", outcome: "newest", changes: [] },
    ]);
  });

  test("keeps the version whose configuration fits, with exit code 1", async () => {
    const { haft, publish, versions, config } = await installed(FITTING);
    await publish("0.2.0", FIRST.replaceAll("units", "system"));
    for (const line of [["update"], ["update", name], ["add", `${name}@latest`]]) {
      const failed = await haft("plugins", ...line);
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("PLUGIN_CONFIG_INVALID") });
      expect(failed.stderr).toMatch(/does not fit the new version: config.*system/);
      expect(await versions()).toEqual({ [name]: "0.1.0" });
      expect(await haft("plugins", "list")).toMatchObject({ code: 0 });
    }
    const { plugins } = readPrintedLine(await haft("plugins", "update", "--json"), "plugins update");
    expect(plugins).toMatchObject([{ outcome: "failed", problem: { code: "PLUGIN_CONFIG_INVALID" } }]);

    await writeFile(join(config, "haft.config.yaml"), FITTING.replace("units", "system"), { mode: 0o600 });
    expect((await haft("plugins", "update")).code).toBe(0);
    expect(await versions()).toEqual({ [name]: "0.2.0" });
  });

  test("keeps the version that works if the new one does not load", async () => {
    const { haft, publish, versions } = await installed(FITTING);
    await publish("0.2.0", "throw new Error('broken release');");
    const failed = await haft("plugins", "update");
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("broken release") });
    expect(failed.stderr).toContain("was not updated from 0.1.0");
    expect(await versions()).toEqual({ [name]: "0.1.0" });
    expect(await haft("plugins", "list")).toMatchObject({ code: 0 });
  });

  test("is part of add with a version", async () => {
    const { haft, publish, versions } = await installed(FITTING);
    await publish("0.2.0", SECOND);
    const added = await haft("plugins", "add", `${name}@0.2.0`);
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("forecast: removed parameter place"),
    });
    expect(await versions()).toEqual({ [name]: "0.2.0" });
  });

  test("keeps a prerelease that is newer than the newest release", async () => {
    const { haft, publish, versions } = await installed(FITTING);
    await publish("0.10.0-beta.2", FIRST);
    expect((await haft("plugins", "add", `${name}@0.10.0-beta.2`)).code).toBe(0);
    await publish("0.9.1", SECOND);
    for (const line of [["--dry-run"], [], [name]]) {
      expect(await haft("plugins", "update", ...line)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(
          `${name} 0.10.0-beta.2 is newer than 0.9.1, the newest release. To install that: haft plugins update ${name}@0.9.1`,
        ),
      });
      expect(await versions()).toEqual({ [name]: "0.10.0-beta.2" });
    }
    await publish("0.10.0", SECOND);
    expect((await haft("plugins", "update")).stdout).toContain("0.10.0-beta.2 → 0.10.0");
    expect((await haft("plugins", "update", `${name}@0.9.1`)).stdout).toContain("0.10.0 → 0.9.1");
    expect(await versions()).toEqual({ [name]: "0.9.1" });
  });

  test.each([
    [
      "haft-plugin-nowhere",
      /haft-plugin-nowhere is not installed for .*haft plugins add haft-plugin-nowhere/s,
    ],
    ["./folder", /folder/],
  ])("rejects %s with the next step", async (word, why) => {
    const { haft } = await makeHome();
    const failed = await haft("plugins", "update", word);
    expect(failed.code).toBeGreaterThan(0);
    expect(failed.stderr).toMatch(why);
  });

  test("without plugins of a registry says so", async () => {
    const { haft } = await makeHome();
    expect(await haft("plugins", "update")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/names no plugin from a registry/),
    });
  });
});
