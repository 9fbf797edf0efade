import { existsSync } from "node:fs";
import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { addPlugin } from "../../../src/plugins/install/add-plugin.ts";
import { readSpec } from "../../../src/plugins/packages/package-spec.ts";
import { moduleWith, pack, printed } from "../../cli/plugins/plugin-packages.ts";
import { temporaryFolder } from "../../support/haft.ts";
import { place } from "./place.ts";

afterEach(() => void vi.unstubAllEnvs());

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
