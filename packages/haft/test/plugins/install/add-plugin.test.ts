import { addPlugin } from "@haft/plugin-loader/internal/check";
import { parsePackageSpec } from "@haft/plugin-loader/internal/plugins";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { moduleWith, pack } from "../../cli/plugins/plugin-packages.ts";
import { createInstallWorkspace } from "./support.ts";

afterEach(() => void vi.unstubAllEnvs());

test("adds two plugins one after the other if both start at once", async () => {
  const messages: string[] = [];
  const { config, file, options } = await createInstallWorkspace((what, work) => {
    messages.push(what);
    return work();
  });
  const names = ["one", "two", "three"];
  for (const name of names) await writeFile(join(config, `${name}.js`), moduleWith(name, name));
  const add = (name: string) => addPlugin(parsePackageSpec(`./${name}.js`, config), options);
  await Promise.all(names.map(add));
  expect((await readFile(file, "utf8")).split("\n").toSorted()).toEqual(
    ["", "  - ./one.js", "  - ./three.js", "  - ./two.js", "plugins:"].toSorted(),
  );
  expect(messages).toContain("another haft plugins works there: waiting for it");
});

test("restores everything if it is interrupted", async () => {
  const controller = new AbortController();
  const { config, options } = await createInstallWorkspace((what, work) => {
    if (what.startsWith("trying")) controller.abort();
    return work();
  });
  await writeFile(join(config, "package.json"), '{"private":true}');
  const archive = await pack(await temporaryFolder(), {
    name: "haft-plugin-own",
    module: moduleWith("own", "own"),
  });
  const adding = addPlugin(parsePackageSpec(archive, "/"), { ...options, signal: controller.signal });
  await expect(adding).rejects.toMatchObject({ code: "PACKAGE_INSTALL_FAILED", message: /stopped/ });
  expect(await readdir(config)).toEqual(["package.json"]);
  expect(await readFile(join(config, "package.json"), "utf8")).toBe('{"private":true}');
});
