import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitSite, shown } from "../../support/git-site.ts";

type Site = Awaited<ReturnType<typeof gitSite>>;

/** What is asked about, and nobody allows, did not run. */
async function requiresApproval({ run, requests }: Site, command: string): Promise<void> {
  const before = requests.length;
  const outcome = await run(command);
  expect(requests.length, `${command}: ${shown(outcome)}`).toBe(before + 1);
  expect(outcome.kind).not.toBe("ok");
}

/** A bare repository of plain files that runs something when it is sent to. */
function plantBare({ write, marker }: Site, name: string): void {
  write(`${name}/HEAD`, "ref: refs/heads/main\n");
  write(`${name}/config`, `[core]\n\tbare = true\n\talternateRefsCommand = id > ${marker};:\n`);
  write(`${name}/objects/info/alternates`, "../../.git/objects\n");
  write(`${name}/refs/heads/.k`, "");
}

describe("a listed git does not start other programs", () => {
  test("apply --unsafe-paths creates no hook, changes no settings and leaves no folder", async () => {
    const testSite = await gitSite();
    const { at, write, marker, ran, outside, run } = testSite;
    const hook = `diff --git a/.git/hooks/post-commit b/.git/hooks/post-commit\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/post-commit\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+id > ${marker}\n`;
    write("p.patch", hook);
    for (const command of [
      "git apply --unsafe-paths p.patch",
      "git apply --unsafe p.patch",
      "git apply --directory=.git p.patch",
      "git apply --direc .git p.patch",
    ])
      await requiresApproval(testSite, command);
    expect(existsSync(at(".git/hooks/post-commit"))).toBe(false);
    write("q.patch", `--- /dev/null\n+++ b/../outside/CANARY\n@@ -0,0 +1 @@\n+x\n`);
    await requiresApproval(testSite, "git apply --unsafe-paths q.patch");
    expect(await run("git commit --allow-empty -m x")).toMatchObject({ kind: "ok" });
    expect(ran()).toBe(false);
    expect(readdirSync(outside)).toEqual(["home"]);
  });

  test("worktree add activates no planted configuration", async () => {
    const testSite = await gitSite();
    const { write, marker, ran, run, at, git } = testSite;
    write("sub/HEAD", "ref: refs/heads/main\n");
    write("sub/config", `[core]\n\tfsmonitor = id > ${marker};:\n`);
    for (const folder of ["sub/objects/k", "sub/refs/k"]) write(folder, "");
    expect(await run("git add . && git commit -m x")).toMatchObject({ kind: "ok" });
    for (const command of [
      "git worktree add --detach sub/.git",
      "git worktree add --detach sub/.GIT",
      "git worktree add --detach ./sub/.git/",
      "git -C sub worktree add --detach .git",
      "git worktree add --detach .git/hooks",
      "cd sub && git worktree add --detach .git",
    ])
      await requiresApproval(testSite, command);
    expect(existsSync(at("sub/.git"))).toBe(false);
    await run("git -C sub status");
    expect(ran()).toBe(false);
    // Into hooks that are an empty folder.
    rmSync(at(".git/hooks"), { recursive: true, force: true });
    git("checkout", "-q", "--orphan", "hooks");
    await requiresApproval(testSite, "git worktree add .git/hooks main");
    expect(existsSync(at(".git/hooks"))).toBe(false);
  });

  test("push to a planted folder by name requires approval", async () => {
    const testSite = await gitSite();
    plantBare(testSite, "evil");
    for (const command of [
      "git push ./evil HEAD:refs/heads/x",
      "git push evil HEAD:refs/heads/x",
      "git fetch evil",
    ])
      await requiresApproval(testSite, command);
    expect(testSite.ran()).toBe(false);
    // It would have run otherwise.
    try {
      testSite.git("push", "evil", "HEAD:refs/heads/x");
    } catch {
      // Whether the push went through does not matter.
    }
    expect(testSite.ran()).toBe(true);
  });

  test("a remote that leads to a planted folder requires approval", async () => {
    const testSite = await gitSite();
    plantBare(testSite, "evil");
    for (const command of [
      "git remote add e ./evil",
      "git remote add e evil",
      `git remote add e ${testSite.at("evil")}`,
      `git remote add e file://${testSite.at("evil")}`,
      "git remote add e 'ext::sh -c id'",
    ])
      await requiresApproval(testSite, command);
    testSite.git("remote", "add", "e", "./evil");
    for (const command of [
      "git push e HEAD:refs/heads/x",
      "git push",
      "git fetch --all",
      "git remote update",
    ])
      await requiresApproval(testSite, command);
    expect(testSite.ran()).toBe(false);
  });

  test("leaving the workspace requires approval", async () => {
    const testSite = await gitSite();
    const { outside, marker, write, git, ran } = testSite;
    git("init", "-q", join(outside, "other"));
    write(join(outside, "other/.git/config"), `[core]\n\tfsmonitor = id > ${marker};:\n`);
    for (const command of [
      `git init ${outside}/X`,
      `git worktree add ${outside}/X`,
      `git bundle create ${outside}/X HEAD`,
      `git -C ${outside} init X`,
      `git -C ${outside}/other status`,
      `cd ${outside}/other && git status`,
      `git clone https://example.invalid/a ${outside}/X`,
      "git init ../X",
      "git worktree add ../X",
    ])
      await requiresApproval(testSite, command);
    expect(ran()).toBe(false);
    expect(readdirSync(outside).toSorted()).toEqual(["home", "other"]);
  });

  test("“always this program: git” does not cover these", async () => {
    const testSite = await gitSite({ security: "allowlist", ask: "on-miss" }, ({ offers }) =>
      offers.some(({ kind }) => kind === "program") ? { decision: "allow-always", grant: "program" } : "deny",
    );
    plantBare(testSite, "evil");
    expect(await testSite.run("git status")).toMatchObject({ kind: "ok" });
    expect(await testSite.run("git log --oneline")).toMatchObject({ kind: "ok" });
    expect(testSite.requests).toHaveLength(1);
    for (const command of [
      "git apply --unsafe-paths p.patch",
      "git worktree add x/.git",
      "git push evil HEAD:refs/heads/x",
      "git init /tmp/haft-never",
      `git -C ${testSite.outside} status`,
    ])
      await requiresApproval(testSite, command);
    expect(testSite.ran()).toBe(false);
  });
});

describe("“always this program: find” covers searches", () => {
  test("and does not cover deletions", async () => {
    const testSite = await gitSite({ security: "allowlist", ask: "on-miss" }, ({ offers }) =>
      offers.some(({ kind }) => kind === "program") ? { decision: "allow-always", grant: "program" } : "deny",
    );
    testSite.write("d/x", "");
    expect(await testSite.run("find . -name x")).toMatchObject({ kind: "ok" });
    expect(await testSite.run("find d -type f")).toMatchObject({ kind: "ok" });
    expect(testSite.requests).toHaveLength(1);
    await requiresApproval(testSite, "find d -delete");
    await requiresApproval(testSite, "find d -exec rm {} +");
    expect(existsSync(testSite.at("d/x"))).toBe(true);
  });
});
