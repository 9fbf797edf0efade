import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createProject, contain, git, onHost, testContained } from "./contained.ts";

testContained("writes back harmless settings, and names others", async () => {
  const { root } = createProject();
  const view = await contain([root]);
  const ran = await view.call(
    "git checkout -b x origin/topic && git branch -m y && git config core.hooksPath evil && git config alias.st '!touch /tmp/no' && cat .git/HEAD",
  );
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.output).toContain("refs/heads/y");
  expect(ran.notices.join()).toContain("core.hookspath, alias.st");
  expect(git(root, "config", "branch.y.remote")).toBe("origin\n");
  const real = readFileSync(join(root, ".git/config"), "utf8");
  expect(real).not.toMatch(/evil|alias/);
  expect(await view.call("git config core.hooksPath; git config branch.y.merge")).toMatchObject({
    code: 0,
    output: "evil\nrefs/heads/topic\n",
    notices: [],
  });
  expect(git(root, "status", "--porcelain")).toBe("");
});

testContained("supports commits in a linked working tree as root, and protects hooks of others", async () => {
  const { folder, root } = createProject();
  const tree = join(folder, "tree");
  git(root, "worktree", "add", "-q", "-b", "tree", tree, "origin/topic");
  const view = await contain([tree]);
  expect(view.broker.mounts.writable).toEqual([join(root, ".git")]);
  const ran = await view.call(
    "echo 2 >two && git add two && git commit -qm two && git branch -m renamed && git stash list && git config branch.renamed.merge; ! touch ../work/x",
  );
  expect(ran).toMatchObject({ code: 0, notices: [] });
  expect(ran.output).toContain("refs/heads/topic");
  expect(git(tree, "log", "-1", "--format=%s %D")).toBe("two HEAD -> renamed\n");
  expect(git(root, "config", "branch.renamed.merge")).toBe("refs/heads/topic\n");
  const attack = await view.run(
    `cd ${root}/.git; echo x >hooks/pre-commit; echo x >worktrees/tree/commondir; rm -f ${tree}/.git; mv hooks h; true`,
  );
  expect(
    attack.output.match(/Read-only file system|Device or resource busy/g)?.length,
  ).toBeGreaterThanOrEqual(4);
  expect(git(root, "status", "--porcelain") + git(tree, "status", "--porcelain")).toBe("");
});

testContained("rejects a .git file that leads to a repository without that working tree", async () => {
  const { folder, root } = createProject();
  const liar = join(folder, "liar");
  git(root, "worktree", "add", "-q", "-b", "real", join(folder, "real"));
  mkdirSync(liar);
  writeFileSync(join(liar, ".git"), `gitdir: ${root}/.git/worktrees/real\n`);
  const view = await contain([liar]);
  expect(view.broker.mounts.writable).toEqual([]);
  expect(view.broker.notices.join()).toContain("does not list this working tree");
  expect(await view.call("git commit --allow-empty -m x; ! echo gitdir: /x >.git")).toMatchObject({
    code: 0,
  });
  expect(git(root, "log", "--all", "--format=%s")).toBe("one\n");
});

testContained("supports a root that is a submodule of an outer project", async () => {
  const { root, origin } = createProject();
  git(root, "submodule", "--quiet", "add", origin, "sub");
  const view = await contain([join(root, "sub")]);
  expect(view.broker.mounts.writable).toEqual([join(root, ".git/modules/sub")]);
  expect(
    await view.call(
      "git config user.name N; git config user.email e@example.com; git commit -q --allow-empty -m in-sub",
    ),
  ).toMatchObject({ code: 0, notices: [] });
  expect(git(join(root, "sub"), "log", "-1", "--format=%an %s")).toBe("N in-sub\n");
});

testContained("protects all of git and reports it if its settings are a link or unreadable", async () => {
  for (const [make, why] of [
    ["mv .git/config c && ln -s ../c .git/config", "its settings are not a file"],
    ["echo '[core' >.git/config", "its settings cannot be read"],
  ] as const) {
    const { root } = createProject();
    onHost(root, make);
    const view = await contain([root]);
    expect(view.broker.notices).toEqual([`Commands cannot change ${join(root, ".git")}: ${why}.`]);
    expect(await view.run("echo x >.git/x")).toMatchObject({ code: 1 });
  }
});

testContained("copies the user's changes and includes", async () => {
  const { root } = createProject();
  writeFileSync(join(root, ".git/more"), "[user]\n\tname = From Beside\n");
  git(root, "config", "--unset", "user.name");
  git(root, "config", "include.path", "more");
  const view = await contain([root]);
  expect(await view.call("git config user.name; git config alias.mine '!true'")).toMatchObject({
    output: "From Beside\n",
  });
  git(root, "config", "core.editor", "the-users");
  git(root, "config", "branch.main.description", "of the user");
  const ran = await view.call(
    "git config core.editor; git config branch.main.description; git config alias.mine; ls -l .git/config",
  );
  expect(ran.output).toMatch(/^the-users\nof the user\n!true\nl/);
  expect(ran.notices).toEqual([]);
});

testContained("reads and writes no other file through a copy that a command replaced", async () => {
  const { folder, root } = createProject();
  writeFileSync(join(folder, "secret"), '[branch "main"]\n\tdescription = secret\n');
  const view = await contain([root]);
  const before = readFileSync(join(root, ".git/config"), "utf8");
  for (const attack of [
    `ln -sf ${folder}/secret config`,
    "rm config; mkdir -p config/x",
    "rm -rf config; mkfifo config",
    "rm -rf config; truncate -s 2G config",
    "rm -rf config; printf '[core' >config",
    "rm -rf config",
  ]) {
    const { notices } = await view.call(attack, "/run/haft/git/0");
    expect({ attack, notices }).toEqual({
      attack,
      notices: [expect.stringContaining("The settings of git that commands changed")],
    });
    expect(readFileSync(join(root, ".git/config"), "utf8")).toBe(before);
    expect(readFileSync(join(folder, "secret"), "utf8")).toContain("secret");
  }
  expect(await view.call("sed -i 1ix config", "/run/haft/git/0")).toMatchObject({ code: 0, notices: [] });
  expect(await view.call("git config push.default simple")).toMatchObject({ code: 0, notices: [] });
  expect(git(root, "config", "push.default")).toBe("simple\n");
});

testContained("protects programs and hooks in the working tree that settings name", async () => {
  const { root } = createProject();
  mkdirSync(join(root, ".githooks"));
  writeFileSync(join(root, ".githooks/pre-commit"), "#!/bin/sh\n");
  writeFileSync(join(root, "clean it.sh"), "#!/bin/sh\ncat\n");
  git(root, "config", "core.hooksPath", ".githooks");
  git(root, "config", "filter.x.clean", `"${root}/clean it.sh"`);
  const view = await contain([root]);
  const { output } = await view.run(
    "echo x >>.githooks/pre-commit; echo x >.githooks/post-commit; mv .githooks x; true",
  );
  expect(output.match(/Read-only|busy/g)).toHaveLength(3);
});
