import { findHostProgram } from "@haft/system";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { FolderWalk } from "../../../src/view/artifacts/folder-walk.ts";
import { NewRepositories } from "../../../src/view/artifacts/new-repositories.ts";
import { RepositoryProvenance } from "../../../src/view/artifacts/repository-provenance.ts";
import { Quarantine } from "../../../src/view/quarantine/quarantine.ts";
import { tempFolder } from "../../support.ts";

const EVIL = "[core]\n\tfsmonitor = /nowhere/evil\n";

function aRepository() {
  const root = tempFolder("new-repository");
  const state = tempFolder("state");
  execFileSync("git", ["init", "-q", join(root, "new")]);
  const common = join(root, "new/.git");
  const always = () => true;
  const kept = new Quarantine(join(state, "held-back"));
  const repositories = new NewRepositories({
    roots: [root],
    protectedRepositories: [],
    cleaning: {
      git: findHostProgram("git").program,
      quarantine: kept,
      folder: state,
    },
    provenance: new RepositoryProvenance(join(state, "came")),
    walk: new FolderWalk(),
    isNew: always,
    isTouched: always,
  });
  repositories.add(common);
  return { repositories, config: join(common, "config"), kept, state };
}

test("finds settings that a command writes during a scan in the next scan", async () => {
  const { repositories, config } = aRepository();
  const harmless = readFileSync(config, "utf8");
  const scanning = repositories.scan();
  // Read, and git is at work on what was read.
  await turn();
  rmSync(config);
  writeFileSync(config, `${harmless}${EVIL}`);
  await scanning;
  const { quarantined } = await repositories.scan();
  expect(quarantined.map(({ path }) => path)).toEqual([config]);
  expect(readFileSync(config, "utf8")).not.toContain("fsmonitor");
});

test("scans a cleaned repository once more, and then skips it", async () => {
  const { repositories, config } = aRepository();
  writeFileSync(config, EVIL, { flag: "a" });
  expect((await repositories.scan()).quarantined.map(({ path }) => path)).toContain(config);
  expect((await repositories.scan()).quarantined).toEqual([]);
  const before = readFileSync(config, "utf8");
  expect((await repositories.scan()).quarantined).toEqual([]);
  expect(readFileSync(config, "utf8")).toBe(before);
});

test("reports a failed removal and tries again", async () => {
  const { repositories, config, kept, state } = aRepository();
  writeFileSync(config, EVIL, { flag: "a" });
  // Nothing can be moved to where a file is.
  writeFileSync(join(state, "held-back"), "");
  expect((await repositories.scan()).quarantined).toEqual([]);
  expect(kept.stuck().map(([path]) => path)).toContain(config);
  rmSync(join(state, "held-back"));
  expect((await repositories.scan()).quarantined.map(({ path }) => path)).toContain(config);
  expect(readFileSync(config, "utf8")).not.toContain("fsmonitor");
});

test("restores a linked working tree that was redirected after the cleaning", async () => {
  const { repositories, config } = aRepository();
  const common = dirname(config);
  const as = ["-c", "user.name=S", "-c", "user.email=s@example.com"];
  execFileSync("git", ["-C", dirname(common), ...as, "commit", "-q", "--allow-empty", "-m", "first"]);
  execFileSync("git", ["-C", dirname(common), "worktree", "add", "-q", "../tree"]);
  const commondir = join(common, "worktrees/tree/commondir");
  await repositories.scan();
  expect((await repositories.scan()).quarantined).toEqual([]);
  writeFileSync(commondir, "/nowhere/evil\n");
  expect((await repositories.scan()).quarantined.map(({ path }) => path)).toEqual([commondir]);
  expect(readFileSync(commondir, "utf8")).toBe("../..\n");
});
