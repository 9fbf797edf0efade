import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { guardNamed, ModuleGuard } from "../../src/trust/module-guard.ts";

// For whoever loads what a trusted configuration names: a plugin, late.

const REFUSED = { code: "CONFIG_UNTRUSTED" };

async function named() {
  const { cwd, write } = await createConfiguredWorkspace({
    "w/plugin.ts": 'export const name: string = "plugin";\nexport const late = () => import("./late.ts");\n',
    "w/late.ts": "export const late = true;\n",
    "w/other.ts": "export {};\n",
  });
  const path = join(cwd, "haft.config.yaml");
  const files: Record<string, string> = {};
  for (const file of ["plugin.ts", "late.ts"]) {
    const hash = createHash("sha256").update(await readFile(join(cwd, file)));
    files[join(cwd, file)] = hash.digest("hex");
  }
  new ModuleGuard({ path, files, packages: [] }).guardAll();
  const load = (file: string) => {
    guardNamed(path, join(cwd, file));
    // What a test imports is not Node's to load.
    return createRequire(import.meta.url)(join(cwd, file)) as Record<string, unknown>;
  };
  return { cwd, path, load, write };
}

test("loads a trusted module, and compares its later imports when they are loaded", async () => {
  const { load, write } = await named();
  const plugin = load("plugin.ts") as { name: string; late: () => Promise<unknown> };
  expect(plugin.name).toBe("plugin");
  await write("w/late.ts", "globalThis.ran = true;\n");
  await expect(plugin.late()).rejects.toMatchObject(REFUSED);
  expect(globalThis).not.toHaveProperty("ran");
});

test("refuses an untrusted or changed module", async () => {
  const { cwd, path, load, write } = await named();
  expect(() => guardNamed(path, join(cwd, "other.ts"))).toThrow(expect.objectContaining(REFUSED));
  await write("w/plugin.ts", "globalThis.ran = true;\n");
  expect(() => load("plugin.ts")).toThrow(expect.objectContaining(REFUSED));
  expect(globalThis).not.toHaveProperty("ran");
});

test("ignores modules of a configuration that needs no trust", async () => {
  const { cwd } = await named();
  expect(() => guardNamed("/home/ada/.config/haft/haft.config.yaml", join(cwd, "other.ts"))).not.toThrow();
});
