import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCleanEnvironment, pnpm, publicPackages, run } from "../../scripts/lib/workspace.ts";

/** Builds, packs and installs the packages like a user. */
export async function installBuilt(folder: string): Promise<void> {
  await pnpm("exec", "turbo", "run", "build", "--output-logs=errors-only");
  const filters = publicPackages().map(({ name }) => `--filter=${name}`);
  const packed = await pnpm("--silent", ...filters, "pack", "--json", "--pack-destination", folder);
  const files = (JSON.parse(packed) as { filename: string }[]).map(({ filename }) => filename);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, ...files], { cwd: folder, env: createCleanEnvironment() });
}
