import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeHome, moduleWith, pack } from "./plugin-packages.ts";

test.each(["haft", "@haft/core", "@haft/anything"])(
  "refuses to add a package with the name %s",
  async (name) => {
    const { haft, cwd, config } = await makeHome();
    const module = moduleWith("own", "own_tool");
    const archive = await pack(cwd, { name, module });
    const folder = join(cwd, "folder");
    await mkdir(folder);
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name, type: "module", exports: "./index.js" }),
    );
    await writeFile(join(folder, "index.js"), module);
    for (const word of [name, `${name}@1.0.0`, archive, "./folder"]) {
      const { code, stderr } = await haft("plugins", "add", word);
      expect([word, code]).toEqual([word, 1]);
      expect(stderr).toMatch(/name of Haft's own packages.*PACKAGE_INVALID/s);
    }
    expect(existsSync(config)).toBe(false);
  },
);
