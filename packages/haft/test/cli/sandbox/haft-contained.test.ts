import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { leftOut } from "../../sandbox/support.ts";
import { converse, haft, haftHere, stateFolderOf, temporaryFolder } from "../../support/haft.ts";

const POLICY = "exec:\n  preset: contained\n";

/** A project with a repository, and beside it a policy that wants commands contained. */
async function project(name = "project", policy = POLICY) {
  const folder = realpathSync(await temporaryFolder());
  const cwd = join(folder, name);
  await mkdir(cwd);
  const file = join(folder, "policy.yaml");
  await writeFile(file, policy);
  execFileSync("git", ["init", "-q"], { cwd });
  return { cwd, policy: ["--policy", file], folder };
}

/** A PATH without bubblewrap, or with one of these lines. */
async function pathWith(folder: string, bwrap?: string): Promise<string> {
  const path = join(folder, "bin");
  await mkdir(path);
  for (const name of ["sh", "unshare", "nsenter", "mount", "git"]) {
    const found = execFileSync("which", [name], { encoding: "utf8" }).trim();
    await symlink(realpathSync(found), join(path, name));
  }
  if (bwrap !== undefined) {
    await writeFile(join(path, "bwrap"), `#!/bin/sh\n${bwrap}\n`);
    await chmod(join(path, "bwrap"), 0o755);
  }
  return path;
}

describe("where nothing can contain commands", () => {
  test("without bubblewrap, every command says so, why, and what decides instead", async () => {
    const { cwd, policy, folder } = await project();
    const env = { PATH: await pathWith(folder) };
    const tools = await haft(["tools", ...policy], { cwd, env });
    expect(tools.stdout).toMatch(/Commands are not contained, though .*exec\.preset wants it, so lists decide/);
    expect(tools.stdout).toMatch(/bwrap is not installed.*Install the package bubblewrap/);
    const json = await haft(["explain", "exec", '{"command":"make"}', ...policy, "--json"], { cwd, env });
    expect(json.lines()[0]).toMatchObject({
      verdict: "asks",
      containment: { contained: false, wanted: { mode: "workspace" }, fix: expect.stringContaining("bwrap") || "" },
    });
  });
});
