// Tests the sources on systems other than Linux, after a list of omitted suites with reasons. vitest gets the
// arguments.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { EXCLUDED_TESTS } from "./lib/system-suites.ts";
import { root } from "./lib/workspace.ts";

const leftOut = EXCLUDED_TESTS[process.platform] ?? [];
for (const { path, reason } of leftOut) {
  if (!existsSync(join(root, path))) throw new Error(`There is no ${path}: see scripts/lib/system-suites.ts`);
  console.log(`LEFT OUT  ${path}: ${reason}`);
}

const vitest = join(root, "node_modules/vitest/vitest.mjs");
const excluded = leftOut.map(({ path }) => `--exclude=${path}${path.endsWith(".ts") ? "" : "/**"}`);
const { status } = spawnSync(process.execPath, [vitest, "run", ...excluded, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  // Started programs also use the sources.
  env: { ...process.env, HAFT_BUILT: "0" },
});
process.exitCode = status ?? 1;
