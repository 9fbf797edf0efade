import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHostWith, installedPackage, createPluginWorkspace, tool } from "./support.ts";

// Whoever can put a package where one is looked for runs code in the host: a session can write its workspace, and folders
// above a configuration may be one.

test("resolves a package only from the folder of the configuration that names it", async () => {
  const at = await createPluginWorkspace({});
  const evil = installedPackage("haft-plugin-weather", tool("evil", "evil"));
  for (const folder of [at.cwd, join(at.folder, "..")]) {
    for (const [path, text] of Object.entries(evil)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  // One that Haft itself has.
  const { host } = await openHostWith(at, ["haft-plugin-weather", "yaml", "@haft/plugin-sdk"]);
  expect(host.plugins().slice(-3)).toMatchObject(
    ["haft-plugin-weather", "yaml", "@haft/plugin-sdk"].map((use) => ({
      use,
      state: "broken",
      problem: { code: "PLUGIN_NOT_FOUND" },
    })),
  );
  expect(host.catalogue.map(({ name }) => name)).not.toContain("evil");
});

test("sessions cannot change loaded files of a plugin or create missing files that it searched for", async () => {
  const at = await createPluginWorkspace({
    ...installedPackage("haft-plugin-weather", `import "./part.js";\n${tool("weather", "forecast")}`),
    "node_modules/haft-plugin-weather/part.js": "",
    "local.js": `import "./part.js";\n${tool("local", "nearby")}`,
    "part.js": "",
    "other.js": "",
  });
  // Sessions that work where the configuration is.
  const { host } = await openHostWith(
    at,
    ["haft-plugin-weather", "./local.js", "haft-plugin-gone", "./gone.js"],
    {
      workspaceDir: at.folder,
    },
  );
  const session = await host.openSession();
  const write = async (path: string) => {
    const outcome = await session.call({ name: "write", arguments: { path, content: `evil ${path}` } });
    return outcome.kind === "ok" ? "ok" : (outcome as { code: string }).code;
  };
  const held = [
    "node_modules/haft-plugin-weather/main.js",
    "node_modules/haft-plugin-weather/part.js",
    "node_modules/haft-plugin-weather/later.js",
    "node_modules/haft-plugin-gone/package.json",
    "local.js",
    "part.js",
    "gone.js",
    "haft.config.json",
  ];
  const answers = [];
  for (const path of held) answers.push([path, await write(path)]);
  expect(answers).toEqual(held.map((path) => [path, "READ_ONLY"]));
  expect(await write("other.js")).toBe("ok");
});

test("ignores a record that another user wrote", async () => {
  const at = await createPluginWorkspace({ "main.js": tool("mine", "mine") });
  const { told } = await openHostWith(at, ["./main.js"]);
  expect(told).toEqual([]);
  // The folder of records leads elsewhere now.
  const other = await createPluginWorkspace({});
  const stateDir = join(other.folder, "state");
  mkdirSync(stateDir);
  symlinkSync(join(at.stateDir, "plugins"), join(stateDir, "plugins"));
  const { host, told: then } = await openHostWith(at, ["./main.js"], { stateDir });
  expect(then).toEqual([expect.stringMatching(/cannot be stored.*can be changed by other users/)]);
  expect(host.plugins().at(-1)?.state).toBe("ready");
});
