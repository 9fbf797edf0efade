import { contentToText } from "@haft/core";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitSite, sharedGitSite, shown } from "../../support/git-site.ts";
import { always } from "../../support/site.ts";

const sharedSite = sharedGitSite();

/** A program that leaves a mark, and its name. */
function trap({ write, marker }: Awaited<ReturnType<typeof gitSite>>, path: string): string {
  write(path, `#!/bin/sh\necho ran >> ${marker}\nexit 1\n`, 0o755);
  return path;
}

describe("programs that a repository names for git itself are disabled, and the result says so", () => {
  test.each([
    ["core.fsmonitor", "git status"],
    ["core.fsmonitor", "git diff"],
    ["core.fsmonitor", "cd sub && git status"],
    ["core.fsmonitor", "git -C sub status"],
    ["core.editor", "git commit --allow-empty --amend"],
    ["core.pager", "git log"],
    ["pager.log", "git log"],
    ["core.sshCommand", "git ls-remote git@host.invalid:a.git"],
    ["core.askPass", "git ls-remote https://host.invalid/a.git"],
    ["credential.helper", "git ls-remote https://host.invalid/a.git"],
    ["credential.https://host.invalid.helper", "git fetch https://host.invalid/a.git"],
    ["gpg.program", "git commit --allow-empty -S -m x"],
    ["gpg.openpgp.program", "git tag -s -m x v1"],
    ["core.alternateRefsCommand", "git status"],
  ])("%s, %s", async (key, command) => {
    const testSite = await sharedSite();
    testSite.write("sub/a", "a\n");
    testSite.git("config", key, trap(testSite, testSite.at("evil.sh")));
    const outcome = await testSite.run(command);
    expect(testSite.requests).toEqual([]);
    expect(testSite.ran()).toBe(false);
    const [section, ...rest] = key.split(".");
    const name = [section, ...rest.slice(0, -1), rest.at(-1)?.toLowerCase()].join(".");
    expect(shown(outcome)).toContain(`[git ignored settings of the repository: ${name} (`);
  });

  test("in any file: included, in the settings of a worktree, or of a linked worktree", async () => {
    const testSite = await gitSite();
    const { write, at, git, run, ran, requests } = testSite;
    const evil = trap(testSite, at("evil.sh"));
    write("more/first", `[include]\n\tpath = second\n`);
    write("more/second", `[core]\n\tfsmonitor = ${evil}\n`);
    git("config", "include.path", "../more/first");
    expect(shown(await run("git status"))).toContain(`core.fsmonitor (${at("more/second")})`);
    git("config", "--unset", "include.path");
    git("config", "includeIf.gitdir:**/nothing/of/the/kind/.path", at("more/second"));
    expect(shown(await run("git status"))).toContain("core.fsmonitor");
    git("config", "--remove-section", "includeIf.gitdir:**/nothing/of/the/kind/");
    git("config", "includeIf.onbranch:ma*.path", at("more/second"));
    expect(shown(await run("git status"))).toContain("core.fsmonitor");
    git("config", "--remove-section", "includeIf.onbranch:ma*");
    git("worktree", "add", "-q", "linked");
    git("config", "extensions.worktreeConfig", "true");
    git("-C", "linked", "config", "--worktree", "core.fsmonitor", evil);
    expect(shown(await run("git status"))).not.toContain("core.fsmonitor");
    expect(shown(await run("git -C linked status"))).toContain("core.fsmonitor");
    expect(requests).toEqual([]);
    expect(ran()).toBe(false);
  });

  test("in a worktree whose repository is elsewhere", async () => {
    const testSite = await gitSite();
    const { at, outside, git, run, ran } = testSite;
    git("init", "-q", join(outside, "main"));
    git("-C", join(outside, "main"), "commit", "-q", "--allow-empty", "-m", "x");
    git("-C", join(outside, "main"), "worktree", "add", "-q", at("linked"));
    git("-C", join(outside, "main"), "config", "core.fsmonitor", trap(testSite, at("evil.sh")));
    expect(shown(await run("git -C linked status"))).toContain("core.fsmonitor");
    expect(ran()).toBe(false);
  });

  test("without disabling settings of the user", async () => {
    const testSite = await gitSite();
    const { at, git, write, run, home, user, marker } = testSite;
    const evil = trap(testSite, at("evil.sh"));
    const userProgram = join(testSite.outside, "mine.sh");
    write(userProgram, `#!/bin/sh\necho "mine $*" >> ${marker}\nexit 1\n`, 0o755);
    write(
      join(home, ".gitconfig"),
      `${user}[core]\n\tsshCommand = ${userProgram} ssh\n\tfsmonitor = ${userProgram} monitor\n[credential]\n\thelper = ${userProgram} one\n` +
        `[credential "https://host.invalid"]\n\thelper = ${userProgram} two\n[include]\n\tpath = more\n`,
    );
    write(join(home, "more"), `[core]\n\taskPass = ${userProgram}\n`);
    for (const key of ["core.sshCommand", "core.fsmonitor", "credential.helper", "core.askPass"])
      git("config", key, evil);
    const ssh = await run("git ls-remote git@host.invalid:a.git");
    expect(shown(ssh)).toContain("core.sshcommand");
    expect(readFileSync(marker, "utf8")).toMatch(/^mine ssh .*host\.invalid/);
    rmSync(marker);
    await run("git status");
    expect(readFileSync(marker, "utf8")).toMatch(/^mine monitor /);
    const { data } = await testSite.plan("git ls-remote https://host.invalid/a.git");
    const { argv = [] } = data.spec;
    const given = argv.filter((_, index) => argv[index - 1] === "-c");
    expect(given.filter((one) => one.startsWith("credential"))).toEqual([
      "credential.helper=",
      `credential.helper=${userProgram} one`,
      `credential.https://host.invalid.helper=${userProgram} two`,
    ]);
    expect(given).toContain(`core.askpass=${userProgram}`);
    expect(testSite.requests).toEqual([]);
  });

  test("also in a user's settings that refer to the workspace", async () => {
    const testSite = await gitSite();
    const { at, write, home, user, run, ran } = testSite;
    write(join(home, ".gitconfig"), `${user}[include]\n\tpath = ${at("shared")}\n`);
    write("shared", `[core]\n\tfsmonitor = ${trap(testSite, at("evil.sh"))}\n`);
    expect(shown(await run("git status"))).toContain("core.fsmonitor");
    write("shared", "");
    write(join(home, ".gitconfig"), `${user}[core]\n\tfsmonitor = ./evil.sh\n`);
    expect(shown(await run("git status"))).toContain("core.fsmonitor");
    expect(ran()).toBe(false);
  });

  test("rejects the start if settings change after the plan", async () => {
    const testSite = await gitSite();
    const { at, git, write, workspace, plan, ran } = testSite;
    write("more", "[user]\n\tname = x\n");
    git("config", "include.path", "../more");
    const { data } = await plan("git status");
    write("more", `[core]\n\tfsmonitor = ${trap(testSite, at("evil.sh"))}\n`);
    await expect(workspace.processes?.start("late", data.spec)).rejects.toMatchObject({
      code: "PLAN_CHANGED",
    });
    expect(ran()).toBe(false);
  });

  test("requires approval for commands that change files if a setting can be changed", async () => {
    const testSite = await gitSite();
    testSite.write("more", "[user]\n\tname = x\n");
    testSite.git("config", "include.path", "../more");
    for (const command of ["git checkout main", "git pull https://host.invalid/a", "git merge main"])
      await testSite.run(command);
    expect(testSite.requests).toHaveLength(3);
    expect(await testSite.run("git log")).toMatchObject({ kind: "ok" });
  });
});

describe("hooks and drivers require approval", () => {
  test("in submodules, if git recurses into them", async () => {
    const testSite = await gitSite();
    const { at, git, outside, plan, run, requests, ran } = testSite;
    git("init", "-q", join(outside, "sub"));
    git("-C", join(outside, "sub"), "commit", "-q", "--allow-empty", "-m", "x");
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(outside, "sub"), "sm");
    git("commit", "-q", "-m", "with a submodule");
    git("branch", "topic");
    trap(testSite, at(".git/modules/sm/hooks/post-index-change"));
    expect(await run("git checkout topic")).toMatchObject({ kind: "ok" });
    git("config", "submodule.recurse", "true");
    for (const command of ["git checkout main", "git reset --hard", "git fetch https://host.invalid/a"])
      await run(command);
    expect(requests).toHaveLength(3);
    expect((await plan("git checkout main")).subjects?.command?.unclear).toContain("submodule.recurse");
    git("config", "submodule.recurse", "false");
    expect(await run("git checkout main")).toMatchObject({ kind: "ok" });
    expect(ran()).toBe(false);
  });

  test.each([
    ["pre-commit", "git commit --allow-empty -m x"],
    ["post-commit", "git commit --allow-empty -m x"],
    ["commit-msg", "git commit --allow-empty -m x"],
    ["prepare-commit-msg", "git commit --allow-empty -m x"],
    ["post-index-change", "git add run.sh"],
    ["post-index-change", "git status"],
    ["post-checkout", "git checkout main"],
    ["post-checkout", "git switch main"],
    ["post-checkout", "git worktree add wt"],
    ["reference-transaction", "git branch x"],
    ["reference-transaction", "git tag x"],
    ["post-merge", "git merge main"],
    ["post-merge", "git pull https://host.invalid/a"],
    ["pre-rebase", "git rebase main"],
    ["pre-push", "git push https://host.invalid/a"],
    ["post-rewrite", "git commit --amend --no-edit"],
    ["applypatch-msg", "git am x"],
    ["pre-auto-gc", "git gc --auto"],
  ])("%s, %s", async (hook, command) => {
    const testSite = await sharedSite();
    const path = trap(testSite, testSite.at(`.git/hooks/${hook}`));
    await testSite.run(command);
    expect(testSite.requests).toHaveLength(1);
    expect(contentToText(testSite.requests[0]!.preview)).toContain(path);
    expect(testSite.ran()).toBe(false);
  });

  test.each([
    ["pre-commit", "git log"],
    ["pre-commit", "git status"],
    ["pre-commit", "git commit --no-verify --allow-empty -m x"],
    ["pre-commit", "git commit -n --allow-empty -m x"],
    ["pre-push", "git fetch https://host.invalid/a"],
    ["pre-receive", "git commit --allow-empty -m x"],
    ["pre-commit.sample", "git commit --allow-empty -m x"],
  ])("but %s does not matter for %s", async (hook, command) => {
    const testSite = await sharedSite();
    trap(testSite, testSite.at(`.git/hooks/${hook}`));
    await testSite.run(command);
    expect(testSite.requests).toEqual([]);
    expect(testSite.ran()).toBe(false);
  });

  test("but a hook that is not executable does not count", async () => {
    const testSite = await gitSite();
    chmodSync(trap(testSite, testSite.at(".git/hooks/pre-commit")), 0o644);
    expect(await testSite.run("git commit --allow-empty -m x")).toMatchObject({ kind: "ok" });
    expect(testSite.requests).toEqual([]);
  });

  test.each([".husky", ".husky/_", "tools/hooks"])("in a hook folder of the tree: %s", async (folder) => {
    const testSite = await sharedSite();
    testSite.git("config", "core.hooksPath", folder);
    mkdirSync(testSite.at(folder), { recursive: true });
    expect(await testSite.run("git commit --allow-empty -m x")).toMatchObject({ kind: "ok" });
    const path = trap(testSite, testSite.at(`${folder}/pre-commit`));
    await testSite.run("git commit --allow-empty -m x");
    expect(testSite.requests).toHaveLength(1);
    expect(contentToText(testSite.requests[0]!.preview)).toContain(`git commit runs the hook ${path}`);
    // A checkout can bring them and run them at once.
    rmSync(path);
    await testSite.run("git checkout main");
    expect(contentToText(testSite.requests[1]!.preview)).toContain("can bring hooks");
    expect(testSite.ran()).toBe(false);
  });

  test("and “always” depends on the content of the hook", async () => {
    const testSite = await gitSite(undefined, () => always());
    const { at, write, marker, requests, git, run } = testSite;
    git("config", "core.hooksPath", ".husky");
    write(".husky/pre-commit", `#!/bin/sh\necho one >> ${marker}\n`, 0o755);
    git("config", "core.fsmonitor", trap(testSite, at("evil.sh")));
    const commit = "git commit --allow-empty -m x";
    expect(await run(commit)).toMatchObject({ kind: "ok" });
    expect(await run(commit)).toMatchObject({ kind: "ok" });
    expect(requests).toHaveLength(1);
    expect(contentToText(requests[0]!.preview)).toContain(at(".husky/pre-commit"));
    // The hook ran, and what git itself would have started did not; git in the hook is the hook's.
    expect(readFileSync(marker, "utf8")).toBe("one\none\n");
    write(".husky/pre-commit", `#!/bin/sh\necho two >> ${marker}\n`, 0o755);
    await run(commit);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ["filter.x.clean", "git add ."],
    ["filter.x.clean", "git status"],
    ["filter.x.smudge", "git checkout main"],
    ["filter.x.process", "git diff"],
    ["diff.x.textconv", "git log -p"],
    ["diff.x.command", "git diff"],
    ["diff.external", "git diff"],
    ["merge.x.driver", "git merge main"],
    ["merge.x.driver", "git stash pop"],
    ["core.gitProxy", "git fetch git://host.invalid/a"],
    ["trailer.x.command", "git commit --allow-empty -m x --trailer x=y"],
    ["pull.twohead", "git pull https://host.invalid/a"],
    ["branch.main.mergeOptions", "git merge main"],
    ["gc.recentObjectsHook", "git gc"],
    ["hook.x.command", "git status"],
  ])("%s, %s", async (key, command) => {
    const testSite = await sharedSite();
    testSite.write(".gitattributes", "* filter=x diff=x merge=x\n");
    testSite.git("config", key, trap(testSite, testSite.at("evil.sh")));
    await testSite.run(command);
    expect(testSite.requests).toHaveLength(1);
    const preview = contentToText(testSite.requests[0]!.preview);
    expect(preview).toContain(testSite.at("evil.sh"));
    expect(preview).toContain("With these files as they are now");
    expect(testSite.ran()).toBe(false);
  });

  test("but a filter of the user does not, unless it is in the workspace", async () => {
    const testSite = await gitSite();
    const { write, home, user, run, requests } = testSite;
    write(".gitattributes", "* filter=x\n");
    write(join(home, ".gitconfig"), `${user}[filter "x"]\n\tclean = cat\n\tsmudge = cat -- %f\n`);
    expect(await run("git add .")).toMatchObject({ kind: "ok" });
    expect(requests).toEqual([]);
    write(join(home, ".gitconfig"), `${user}[filter "x"]\n\tclean = sh ./tools/clean.sh\n`);
    await run("git add .");
    expect(requests).toHaveLength(1);
  });
});
