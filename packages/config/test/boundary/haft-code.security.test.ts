import { HaftError } from "@haft/core";
import { createHostWorkspace } from "@haft/workspace";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { findHaftCode } from "../../src/boundary/haft-code.ts";

/** An installation as a package manager makes it, with as little in it as resolving needs. */
function project() {
  const root = realFolder();
  const put = (path: string, content: string | object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  };
  const pkg = (folder: string, name: string, dependencies: string[] = [], more: object = {}) => {
    const named = Object.fromEntries(dependencies.map((one) => [one, "*"]));
    put(`${folder}/package.json`, {
      name,
      dependencies: named,
      type: "module",
      exports: "./dist/index.js",
      ...more,
    });
    put(`${folder}/dist/index.js`, "one");
    put(`${folder}/dist/lazy-chunk.js`, "one");
  };
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  };
  return { root, put, pkg, link };
}

function flat() {
  const made = project();
  const { pkg } = made;
  pkg("node_modules/haft", "haft", ["@haft/core", "@haft/tools-fs", "yaml"]);
  pkg("node_modules/@haft/core", "@haft/core", ["@sinclair/typebox"]);
  pkg("node_modules/@haft/tools-fs", "@haft/tools-fs", ["@haft/core", "unbash", "picomatch"], {
    optionalDependencies: { sharp: "*" },
  });
  pkg("node_modules/@sinclair/typebox", "@sinclair/typebox");
  pkg("node_modules/yaml", "yaml");
  pkg("node_modules/unbash", "unbash", ["deeper"]);
  pkg("node_modules/unbash/node_modules/deeper", "deeper");
  pkg("node_modules/picomatch", "picomatch", [], { exports: undefined, type: "commonjs" });
  pkg("node_modules/other", "other");
  return { ...made, code: findHaftCode([made.root], join(made.root, "node_modules/haft/dist/index.js")) };
}

function pnpm() {
  const made = project();
  const { pkg, link } = made;
  const store = "node_modules/.pnpm";
  pkg(`${store}/haft@1/node_modules/haft`, "haft", ["@haft/core", "yaml"]);
  pkg(`${store}/@haft+core@1/node_modules/@haft/core`, "@haft/core");
  pkg(`${store}/yaml@2/node_modules/yaml`, "yaml");
  pkg(`${store}/other@1/node_modules/other`, "other");
  link(`${store}/haft@1/node_modules/@haft/core`, "../../../@haft+core@1/node_modules/@haft/core");
  link(`${store}/haft@1/node_modules/yaml`, "../../yaml@2/node_modules/yaml");
  link("node_modules/haft", ".pnpm/haft@1/node_modules/haft");
  const file = join(made.root, `${store}/haft@1/node_modules/haft/dist/index.js`);
  return { ...made, code: findHaftCode([made.root], file) };
}

function workspaceOf({ root, code }: ReturnType<typeof flat>) {
  return createHostWorkspace({ root, code: [...code.code, ...code.names] }).fs;
}

const evil = new TextEncoder().encode("evil");

async function refuses(change: Promise<unknown>): Promise<void> {
  const thrown: unknown = await change.then(
    () => "it was done",
    (error: unknown) => error,
  );
  expect(HaftError.is(thrown) ? thrown.code : thrown).toBe("READ_ONLY");
}

describe.each([
  ["npm", flat],
  ["pnpm", pnpm],
])("an installation by %s in the workspace", (_manager, install) => {
  test("blocks writing, removing, moving and replacing its files", async () => {
    const made = install();
    const fs = workspaceOf(made);
    const files = readdirSync(made.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes("other"));
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) {
      await refuses(fs.write(file, evil));
      await refuses(fs.append(file, evil));
      await refuses(fs.remove(file));
      await refuses(fs.rename(file, "taken"));
      await fs.write("staged", evil);
      await refuses(fs.rename("staged", file, { replace: true }));
      expect(readFileSync(file, "utf8")).not.toContain("evil");
    }
    await refuses(fs.rename("node_modules", "nm2"));
  });

  test("leaves the rest of node_modules writable", async () => {
    const made = install();
    const fs = workspaceOf(made);
    await fs.write("node_modules/new/index.js", evil);
    await fs.write("node_modules/@types/x/index.d.ts", evil);
    await fs.write("src/index.ts", evil);
    expect(readFileSync(join(made.root, "src/index.ts"), "utf8")).toBe("evil");
  });
});

test("protects unused names that would take precedence", async () => {
  const made = flat();
  const fs = workspaceOf(made);
  for (const name of [
    "node_modules/@haft/node_modules/yaml/index.js",
    "node_modules/haft/dist/node_modules/yaml/index.js",
    "node_modules/haft/node_modules/@haft/core/package.json",
    "node_modules/sharp/package.json",
    "node_modules/picomatch.js",
    "node_modules/sharp.js",
    "node_modules/unbash/node_modules/deeper/dist/index.js",
  ])
    await refuses(fs.write(name, evil));
  // require() looks for picomatch.js there, so a mount has to hold all of it.
  expect(made.code.protectedPaths).toEqual([join(made.root, "node_modules")]);
  expect(made.code.unmountableNames).toEqual([]);
});

test("protects the packages of a pnpm store separately, with their links", () => {
  const { root, code } = pnpm();
  const store = join(root, "node_modules/.pnpm");
  expect(code.protectedPaths).toEqual(
    ["@haft+core@1", "haft@1", "yaml@2"].map((name) => join(store, name)).toSorted(),
  );
});

test("protects a whole store if packages share files, while file tools can write elsewhere in it", () => {
  const { root } = pnpm();
  const yaml = join(root, "node_modules/.pnpm/yaml@2/node_modules/yaml");
  linkSync(join(yaml, "package.json"), join(root, "node_modules/.pnpm/other@1/node_modules/other/twin.json"));
  const haft = join(root, "node_modules/.pnpm/haft@1/node_modules/haft");
  const { protectedPaths, code } = findHaftCode([root], join(haft, "dist/index.js"));
  expect(protectedPaths).toEqual([join(root, "node_modules/.pnpm")]);
  expect(code).not.toContain(join(root, "node_modules/.pnpm"));
});

test("has unused names around a hoisted dependency that no mount can protect", () => {
  const { root, pkg } = project();
  pkg("apps/one/node_modules/haft", "haft", ["yaml"]);
  pkg("node_modules/yaml", "yaml");
  const code = findHaftCode([root], join(root, "apps/one/node_modules/haft/dist/index.js"));
  expect(code.names).toContain(join(root, "apps/node_modules/yaml"));
  expect(code.unmountableNames).toEqual([join(root, "apps/node_modules/yaml")]);
});

test("is not searched if it is elsewhere", () => {
  const { root } = project();
  expect(findHaftCode([root])).toEqual({ code: [], names: [], protectedPaths: [], unmountableNames: [] });
});

test("includes the sources and all installed packages of this checkout", () => {
  const house = realpathSync(join(import.meta.dirname, "../../../.."));
  const { code, unmountableNames } = findHaftCode([house]);
  for (const name of ["haft", "core", "workspace", "tools-fs", "sandbox"])
    expect(code).toContain(join(house, "packages", name));
  for (const name of ["yaml", "unbash", "diff", "sharp", "@lydell+node-pty", "@xterm+headless"])
    expect(code.some((path) => path.includes(`/.pnpm/${name}@`))).toBe(true);
  expect(unmountableNames).toEqual([]);
});
