import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** The scripts in a repository in which nothing was made yet. */
function bareRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-bare-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["scripts", "etc", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  const isManifest = (path: string) =>
    !/packages\/[^/]+\/./.test(path.slice(root.length)) || path.endsWith("/package.json");
  cpSync(join(root, "packages"), join(folder, "packages"), { recursive: true, filter: isManifest });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

test.each([
  ["install-packed.ts", "packages/core/package.tgz", "npm run verify:packages"],
  ["consumers.ts", "packages/core/package.tgz", "npm run verify:packages"],
  ["first-contact.ts", "packages/core/package.tgz", "npm run verify:packages"],
  ["verify-api.ts", ".haft/api", "npm run verify:api"],
  ["extract-api.ts", "packages/core/dist/index.d.ts", "npm run build"],
])("%s, started by itself, names what is not made yet and what makes it", (script, file, command) => {
  const cwd = bareRepository();
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--no-warnings", "--conditions=@haft/source", join(cwd, "scripts", script)],
    {
      cwd,
      encoding: "utf8",
    },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `${file} is not there yet: ${command} makes it.\n`,
  });
});
