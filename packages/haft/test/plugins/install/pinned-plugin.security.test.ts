import { addPlugin } from "@haft/plugin-loader/internal/check";
import { parsePackageSpec } from "@haft/plugin-loader/internal/plugins";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { moduleWith, pack, packTree, readPrintedLine } from "../../cli/plugins/plugin-packages.ts";
import { haft as inAProcess } from "../../support/haft.ts";
import { createInstallWorkspace } from "./support.ts";

afterEach(() => void vi.unstubAllEnvs());

test("withholds a plugin that differs from its pin, until it matches again", async () => {
  const { config, options, haft } = await createInstallWorkspace();
  const archive = await pack(await temporaryFolder(), {
    name: "haft-plugin-own",
    module: moduleWith("own", "own_tool"),
  });
  await addPlugin(parsePackageSpec(archive, "/"), options);
  expect(await haft("plugins", "list")).toMatchObject({ code: 0 });

  const module = join(config, "node_modules/haft-plugin-own/index.js");
  const marker = join(config, "ran");
  await appendFile(
    module,
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");\n`,
  );
  const listed = await haft("plugins", "list", "--json");
  expect(listed.code).toBe(1);
  expect(readPrintedLine(listed, "plugins list").plugins[0]).toMatchObject({
    state: "withheld",
    problem: { code: "PLUGIN_CHANGED", message: expect.stringContaining(`${module} has changed`) },
  });
  const why = readPrintedLine(await haft("plugins", "why", "own_tool", "--json"), "plugins why").reasons[0];
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
  const missing = readPrintedLine(await haft("plugins", "why", "own_tool", "--json"), "plugins why")
    .reasons[0];
  expect(missing).toMatchObject({
    code: "PLUGIN_NOT_FOUND",
    fix: expect.stringContaining("haft plugins add"),
  });
});

describe("does not load a file that was added to a pinned package", () => {
  const LATER = 'module.exports = "later";\n';
  const EVIL = (marker: string) => `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");\n`;

  async function pinned() {
    const { config, options, haft } = await createInstallWorkspace();
    const folder = await temporaryFolder();
    // The package brings its dependency along, as a package that is bundled.
    const archive = await packTree(folder, {
      "package.json": JSON.stringify({
        name: "haft-plugin-own",
        version: "1.0.0",
        type: "commonjs",
        main: "./lib/main.js",
        dependencies: { dd: "1.0.0" },
        bundleDependencies: ["dd"],
      }),
      "lib/main.js": moduleWith(
        "own",
        "own_tool",
        'require("dd"); require("./dep"); require("./part"); const optional = () => { try { return require("optional"); } catch (thrown) { return thrown.code; } };',
      )
        .replace("export default", "module.exports =")
        .replace(
          'execute: () => ({ content: [{ type: "text", text: "rain" }]',
          'execute: () => ({ content: [{ type: "text", text: require("./later") + optional() }]',
        ),
      "lib/dep.js": "",
      "lib/later.js": LATER,
      "lib/part/index.js": "",
      "node_modules/dd/package.json": '{ "name": "dd", "version": "1.0.0", "main": "./dd.js" }',
      "node_modules/dd/dd.js": "",
    });
    await addPlugin(parsePackageSpec(archive, "/"), options);
    const own = join(config, "node_modules/haft-plugin-own");
    const marker = join(config, "ran");
    const args = ["tools", "call", "own_tool", '{"place":"here"}'];
    const call = () =>
      inAProcess(args, {
        cwd: join(config, "../../work"),
        env: { HAFT_STATE_DIR: process.env["HAFT_STATE_DIR"]! },
      });
    const state = async () =>
      readPrintedLine(await haft("plugins", "list", "--json"), "plugins list").plugins[0] as Record<
        string,
        unknown
      >;
    return {
      config,
      own,
      marker,
      call,
      callHere: () => haft(...args),
      state,
      haft,
      records: join(process.env["HAFT_STATE_DIR"]!, "plugins"),
    };
  }

  test("does not load a late import of a new package, and is ready again after its removal", async () => {
    const { config, own, marker, call, callHere, state, haft } = await pinned();
    expect(await state()).toMatchObject({ state: "ready" });
    const withheld = { state: "withheld", problem: { code: "PLUGIN_CHANGED" } };
    const put = async (path: string, text: string) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    };
    const cases: [what: string, change: () => Promise<unknown>, back: () => Promise<unknown>][] = [
      [
        "a package nearer than its dependency",
        () => put(join(own, "lib/node_modules/dd/index.js"), EVIL(marker)),
        () => rm(join(own, "lib/node_modules"), { recursive: true }),
      ],
      [
        "a file whose name comes before that of a module",
        () => put(join(own, "lib/dep"), EVIL(marker)),
        () => rm(join(own, "lib/dep")),
      ],
      [
        "a file that no trial loaded, changed",
        () => put(join(own, "lib/later.js"), EVIL(marker)),
        () => put(join(own, "lib/later.js"), LATER),
      ],
      [
        "a manifest that leads a folder elsewhere",
        async () => {
          await put(join(own, "lib/part/evil.js"), EVIL(marker));
          await put(join(own, "lib/part/package.json"), '{ "main": "./evil.js" }');
        },
        async () => {
          await rm(join(own, "lib/part/evil.js"));
          await rm(join(own, "lib/part/package.json"));
        },
      ],
      [
        "a link to a package elsewhere",
        async () => {
          await put(join(config, "elsewhere/index.js"), EVIL(marker));
          await mkdir(join(own, "lib/node_modules"));
          await symlink(join(config, "elsewhere"), join(own, "lib/node_modules/dd"));
        },
        () => rm(join(own, "lib/node_modules"), { recursive: true }),
      ],
    ];
    for (const [what, change, back] of cases) {
      await change();
      expect({ what, ...(await state()) }).toMatchObject({ what, ...withheld });
      // Nothing of it was loaded by this process yet.
      await callHere();
      // By hand either.
      expect({ what, ...(await haft("plugins", "check", "own")) }).toMatchObject({ what, code: 1 });
      expect({ what, ran: existsSync(marker) }).toEqual({ what, ran: false });
      await back();
      expect({ what, ...(await state()) }).toMatchObject({ what, state: "ready" });
    }

    // A call loads a file that no trial loaded; a package beside it that it asks for late is none of its files, and refused then.
    expect((await call()).stdout).toContain("laterMODULE_NOT_FOUND");
    await put(join(config, "node_modules/optional/index.js"), EVIL(marker));
    expect(await state()).toMatchObject({ state: "ready" });
    expect((await call()).stdout).toContain("laterPLUGIN_CHANGED");
    expect(existsSync(marker)).toBe(false);

    // A folder of packages beside it, from which it takes what is gone.
    await rm(join(own, "node_modules"), { recursive: true });
    await put(join(config, "node_modules/dd/index.js"), EVIL(marker));
    await call();
    expect(existsSync(marker)).toBe(false);
  });

  test("needs more than a record with only the files of its trial", async () => {
    const { state, haft, records, own } = await pinned();
    const [name = ""] = await readdir(records);
    const { packages, ...rest } = JSON.parse(await readFile(join(records, name), "utf8"));
    expect(packages).toMatchObject([
      { folder: own, name: "haft-plugin-own" },
      { folder: join(own, "node_modules/dd"), name: "dd" },
    ]);
    await writeFile(join(records, name), JSON.stringify(rest), { mode: 0o600 });
    expect(await state()).toMatchObject({ state: "withheld", problem: { code: "PLUGIN_CHANGED" } });
    const { problem } = (await state()) as { problem: { fix: string } };
    const [, path = ""] = /haft plugins add (\S+\.tgz)/.exec(problem.fix) ?? [];
    expect(await haft("plugins", "add", path)).toMatchObject({ code: 0 });
    expect(await state()).toMatchObject({ state: "ready" });
  });
});
