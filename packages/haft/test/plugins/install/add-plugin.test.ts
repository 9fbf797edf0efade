import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { addPlugin, type AddOptions } from "../../../src/plugins/install/add-plugin.ts";
import { readSpec } from "../../../src/plugins/packages/package-spec.ts";
import { PluginRecords } from "../../../src/plugins/plugin-record.ts";
import { makeHome, moduleWith, pack, printed } from "../../cli/plugins/plugin-packages.ts";
import { temporaryFolder } from "../../support/haft.ts";

/** In this process, so that a test can come in between. */
async function place(working: AddOptions["working"] = (_, work) => work()) {
  const { config, state, env, haft } = await makeHome();
  await mkdir(config, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const file = join(config, "haft.config.yaml");
  const records = new PluginRecords(state, () => {});
  const options: AddOptions = {
    place: { as: "user", file, exists: false, kind: "text", folder: config },
    allowScripts: false,
    records,
    working,
  };
  return { config, file, options, haft };
}

afterEach(() => void vi.unstubAllEnvs());

test("two at once wait for each other, and both are named", async () => {
  const said: string[] = [];
  const { config, file, options } = await place((what, work) => {
    said.push(what);
    return work();
  });
  const names = ["one", "two", "three"];
  for (const name of names) await writeFile(join(config, `${name}.js`), moduleWith(name, name));
  const add = (name: string) =>
    // As another process would find it by then.
    addPlugin(readSpec(`./${name}.js`, config), {
      ...options,
      place: {
        ...options.place,
        get exists() {
          return existsSync(file);
        },
      },
    });
  await Promise.all(names.map(add));
  expect((await readFile(file, "utf8")).split("\n").toSorted()).toEqual(
    ["", "  - ./one.js", "  - ./three.js", "  - ./two.js", "plugins:"].toSorted(),
  );
  expect(said).toContain("another haft plugins works there: waiting for it");
});

test("who gives up in between finds everything as it was", async () => {
  const controller = new AbortController();
  const { config, options } = await place((what, work) => {
    if (what.startsWith("trying")) controller.abort();
    return work();
  });
  await writeFile(join(config, "package.json"), '{"private":true}');
  const archive = await pack(await temporaryFolder(), {
    name: "haft-plugin-own",
    module: moduleWith("own", "own"),
  });
  const adding = addPlugin(readSpec(archive, "/"), { ...options, signal: controller.signal });
  await expect(adding).rejects.toMatchObject({ code: "PACKAGE_INSTALL_FAILED", message: /stopped/ });
  expect(await readdir(config)).toEqual(["package.json"]);
  expect(await readFile(join(config, "package.json"), "utf8")).toBe('{"private":true}');
});

test("what is not what was pinned is withheld, until it is again", async () => {
  const { config, options, haft } = await place();
  const archive = await pack(await temporaryFolder(), {
    name: "haft-plugin-own",
    module: moduleWith("own", "own_tool"),
  });
  await addPlugin(readSpec(archive, "/"), options);
  expect(await haft("plugins", "list")).toMatchObject({ code: 0 });

  const module = join(config, "node_modules/haft-plugin-own/index.js");
  const marker = join(config, "ran");
  await appendFile(
    module,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");\n`,
  );
  const listed = await haft("plugins", "list", "--json");
  expect(listed.code).toBe(1);
  expect(printed(listed, "plugins list").plugins[0]).toMatchObject({
    state: "withheld",
    problem: { code: "PLUGIN_CHANGED", message: expect.stringContaining(`${module} has changed`) },
  });
  const why = printed(await haft("plugins", "why", "own_tool", "--json"), "plugins why").reasons[0];
  expect(why).toMatchObject({
    there: false,
    code: "PLUGIN_CHANGED",
    fix: expect.stringMatching(/haft plugins add \S+\.tgz/),
  });
  expect(await haft("plugins", "check", "own")).toMatchObject({ code: 1 });
  expect((await haft("tools")).stdout).not.toMatch(/^  own_tool .*weather/m);
  expect(existsSync(marker)).toBe(false);

  // The very command that is named; a package manager alone would take what is there for what it installed.
  const [, path = ""] = /haft plugins add (\S+\.tgz)/.exec(why.fix) ?? [];
  expect(await haft("plugins", "add", path)).toMatchObject({ code: 0 });
  expect(await readFile(module, "utf8")).not.toContain("writeFileSync");
  expect(await haft("plugins", "list")).toMatchObject({ code: 0 });

  await rm(join(config, "node_modules"), { recursive: true });
  const gone = printed(await haft("plugins", "why", "own_tool", "--json"), "plugins why").reasons[0];
  expect(gone).toMatchObject({ code: "PLUGIN_NOT_FOUND", fix: expect.stringContaining("haft plugins add") });
});
