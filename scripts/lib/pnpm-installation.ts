import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireTarball } from "./packed.ts";
import { createCleanEnvironment, root, run, type Package } from "./workspace.ts";

/**
 * Installs a package's tarball with pnpm into a new folder, offline and without optional packages. pnpm
 * allows imports of declared dependencies only.
 */
export async function installWithPnpm(folder: string, name: string, all: readonly Package[]): Promise<void> {
  const tarball = (pkg: Package) => `file:${requireTarball(pkg.folder)}`;
  const wanted = all.find((pkg) => pkg.name === name)!;
  mkdirSync(folder);
  const manifest = { private: true, type: "module", dependencies: { [name]: tarball(wanted) } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  // No registry has their versions.
  const overrides = Object.fromEntries(all.map((pkg) => [pkg.name, tarball(pkg)]));
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ overrides }));
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  await run("npx", ["--yes", packageManager, "install", "--no-optional", "--offline"], {
    cwd: folder,
    env: createCleanEnvironment(),
  });
}
