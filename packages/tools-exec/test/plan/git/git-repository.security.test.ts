import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitSite } from "../../support/git-site.ts";

describe("the repository of a command", () => {
  test("requires approval if file tools can write the repository", async () => {
    const testSite = await gitSite();
    const { git, at, run, requests, ran, write, marker } = testSite;
    git("init", "-q", "--separate-git-dir", at("meta"), at("linked"));
    await run("git -C linked status");
    expect(requests).toHaveLength(1);
    write("meta/config", `[core]\n\tfsmonitor = id > ${marker};:\n`);
    await run("cd linked && git status");
    expect(requests).toHaveLength(2);
    expect(ran()).toBe(false);
  });

  test("requires approval if the working tree is elsewhere", async () => {
    const testSite = await gitSite();
    const { git, outside, run, requests } = testSite;
    git("config", "core.worktree", outside);
    await run("git checkout -- .");
    expect(requests).toHaveLength(1);
    expect(existsSync(join(outside, "run.sh"))).toBe(false);
  });

  test("rejects the start if a folder became a link after the check", async () => {
    const testSite = await gitSite();
    const { at, outside, plan, workspace, git } = testSite;
    git("init", "-q", join(outside, "other"));
    for (const command of ["git -C sub status", "git init sub/x"]) {
      mkdirSync(at("sub"), { recursive: true });
      const { data } = await plan(command);
      rmSync(at("sub"), { recursive: true });
      symlinkSync(join(outside, "other"), at("sub"));
      await expect(workspace.processes?.start(command, data.spec)).rejects.toMatchObject({
        code: "PLAN_CHANGED",
      });
      rmSync(at("sub"));
    }
    expect(existsSync(join(outside, "other/x"))).toBe(false);
  });

  test("requires approval for objects that a partial clone fetches", async () => {
    const testSite = await gitSite();
    testSite.git("remote", "add", "lazy", "./evil");
    testSite.git("config", "remote.lazy.promisor", "true");
    await testSite.run("git log");
    expect(testSite.requests).toHaveLength(1);
  });

  test("requires approval for settings that git would reject, and for invalid paths", async () => {
    const testSite = await gitSite();
    testSite.git("config", "include.path", "../broken");
    testSite.write("broken", "[core\n");
    await testSite.run("git status");
    expect(testSite.requests).toHaveLength(1);
    testSite.write("broken", `[include]\n\tpath = ../x/../broken\n`);
    await testSite.run("git status");
    expect(testSite.requests).toHaveLength(2);
  });
});
