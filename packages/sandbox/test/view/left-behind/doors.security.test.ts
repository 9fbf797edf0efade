import { PROJECT_SETTINGS } from "@haft/workspace";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { createLookout } from "../../../src/view/left-behind/create-lookout.ts";
import { tempFolder } from "../../support.ts";
import { aProject, contain, git, onHost, testContained } from "../git/contained.ts";

/** A project with what a user's own has: hooks, a linked working tree beside it, a submodule, another repository in it. */
async function aContainedProject(prepare: (root: string) => void = () => {}) {
  const { folder, root, origin } = aProject();
  const canary = join(folder, "canary");
  const outside = join(folder, "beside");
  git(root, "worktree", "add", "-q", "-b", "beside", outside);
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin, "sub");
  git(root, "commit", "-qm", "sub");
  mkdirSync(join(root, "deep/nested"), { recursive: true });
  git(join(root, "deep/nested"), "init", "-q");
  writeFileSync(join(root, ".gitignore"), "deep\n");
  git(root, "add", ".gitignore");
  git(root, "commit", "-qm", "ignore");
  prepare(root);
  // What a user would see: it tells that it ran.
  writeFileSync(join(folder, "evil"), `#!/bin/sh\necho ran >>${canary}\n`);
  chmodSync(join(folder, "evil"), 0o755);
  const state = tempFolder("left-behind");
  const view = await contain([root]);
  const lookout = createLookout({
    roots: [root],
    repositories: view.broker.repositories,
    patterns: PROJECT_SETTINGS,
    folder: state,
    onReplaced: () => void view.broker.mend(),
  });
  onTestFinished(() => lookout.close());
  return {
    folder,
    root,
    outside,
    state,
    lookout,
    view,
    /** A contained command, with all that comes before and after it. */
    async call(command: string) {
      await view.broker.refresh();
      await view.broker.mend();
      lookout.before();
      const ran = await view.run(command.replaceAll("EVIL", join(folder, "evil")));
      const notices = await view.broker.takeBack();
      const left = await lookout.after();
      return { ...ran, left, notices: [...notices, ...left.notices] };
    },
    /** What the user does next, in each of the folders; answers whether anything of the command's ran. */
    userWorks() {
      for (const at of [
        root,
        outside,
        join(root, "sub"),
        join(root, "deep/nested"),
        join(root, "new"),
        join(root, "new/sub"),
      ]) {
        if (existsSync(at))
          onHost(
            at,
            "git status; git diff; git log -1; echo x >>u; git add -A; git commit -qm user; git checkout -q -; git fetch; git branch; git stash; git gc --auto",
          );
      }
      return existsSync(canary);
    },
  };
}

/** Each tries to have a program of its own started by the user's git. */
const DOORS: Readonly<Record<string, string>> = {
  "a hook":
    "cp EVIL .git/hooks/post-checkout; cp EVIL .git/hooks/pre-commit; cp EVIL .git/hooks/post-index-change",
  "settings by git":
    "git config core.fsmonitor EVIL; git config core.hooksPath $PWD/h; mkdir h; cp EVIL h/pre-commit; git config core.pager EVIL",
  "settings by an editor": "printf '[core]\\n\\tfsmonitor = EVIL\\n' >>.git/config",
  "settings by another file":
    "cp .git/config c; printf '[core]\\n\\tfsmonitor = EVIL\\n' >>c; mv -f c .git/config; rm -f .git/config && mv -f c .git/config",
  "settings beside the link": "git config -f /run/haft/git/0/config core.fsmonitor EVIL",
  "an include": "printf '[core]\\n\\tfsmonitor = EVIL\\n' >x; git config include.path $PWD/x",
  "a remote that is a program":
    "git config remote.origin.url 'ext::EVIL'; git config branch.main.remote 'ext::EVIL'; git config protocol.ext.allow always",
  "a remote with hooks":
    "git clone -q --bare . new; cp EVIL new/hooks/post-receive; cp EVIL new/hooks/pre-receive; git config remote.origin.url $PWD/new; git config uploadpack.packObjectsHook EVIL",
  "an alias": "git config alias.status '!EVIL'; git config alias.st '!EVIL'",
  "a filter":
    "git config filter.x.clean EVIL; echo '* filter=x' >.gitattributes; git config diff.x.textconv EVIL",
  commondir:
    "cp -r .git /tmp/g; git config -f /tmp/g/config core.fsmonitor EVIL; cp -rL /tmp/g evil-git; echo $PWD/evil-git >.git/commondir",
  "commondir of a working tree":
    "cp -rL .git evil-git; git config -f evil-git/config core.fsmonitor EVIL; echo $PWD/evil-git >.git/worktrees/beside/commondir; mv .git/worktrees/beside x; mkdir .git/worktrees/beside && cp -r x/* .git/worktrees/beside/ && echo $PWD/evil-git >.git/worktrees/beside/commondir",
  "settings of a working tree":
    "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor EVIL; git config -f .git/config.worktree core.fsmonitor EVIL; git config -f .git/worktrees/beside/config.worktree core.fsmonitor EVIL",
  "settings of a submodule":
    "git -C sub config core.fsmonitor EVIL; printf '[core]\\n\\tfsmonitor = EVIL\\n' >>.git/modules/sub/config; cp EVIL .git/modules/sub/hooks/post-checkout",
  "a submodule moved":
    "mv .git/modules/sub x; cp -r x .git/modules/sub; git config -f .git/modules/sub/config core.fsmonitor EVIL; mv .git/modules y; cp -r y .git/modules; git config -f .git/modules/sub/config core.fsmonitor EVIL",
  "the .git file of a submodule":
    "git init -q evil; git -C evil config core.fsmonitor EVIL; rm -f sub/.git; echo gitdir: $PWD/evil/.git >sub/.git; rm -rf sub; git init -q sub; git -C sub config core.fsmonitor EVIL",
  "settings of a nested repository":
    "git -C deep/nested config core.fsmonitor EVIL; cp EVIL deep/nested/.git/hooks/pre-commit; printf '[core]\\n\\tfsmonitor = EVIL\\n' >>deep/nested/.git/config",
  "a nested repository moved":
    "mv deep/nested deep/was; mkdir -p deep/nested; git init -q deep/nested; git -C deep/nested config core.fsmonitor EVIL; mv deep was; mkdir -p deep/nested; git init -q deep/nested; git -C deep/nested config core.fsmonitor EVIL",
  "the whole .git moved":
    "mv .git was; git init -q .; git config core.fsmonitor EVIL; cp EVIL .git/hooks/pre-commit",
  "the whole .git removed":
    "rm -rf .git/config .git/hooks; mv .git/hooks .git/h; mkdir .git/hooks; cp EVIL .git/hooks/pre-commit",
  "a new repository":
    "git init -q new; git -C new config core.fsmonitor EVIL; cp EVIL new/.git/hooks/pre-commit; cp EVIL new/.git/hooks/post-checkout",
  "a new repository that takes from another":
    "git init -q new; git init -q o; git -C o config core.fsmonitor EVIL; echo $PWD/o/.git >new/.git/commondir",
  "a new .git file":
    "git init -q --separate-git-dir=$PWD/sep new; git --git-dir=sep config core.fsmonitor EVIL",
  "a new link":
    "git init -q elsewhere; git -C elsewhere config core.fsmonitor EVIL; mkdir new; ln -s ../elsewhere/.git new/.git",
  "a new submodule":
    "git -c protocol.file.allow=always submodule -q add ./. new; git config -f .git/modules/new/config core.fsmonitor EVIL; cp EVIL .git/modules/new/hooks/pre-commit; git -C new config core.fsmonitor EVIL",
  "a repository without a working tree":
    "git init -q --bare new; git -C new config core.fsmonitor EVIL; git -C new config core.bare false; git -C new config core.worktree $PWD",
  "a new working tree":
    "git worktree add -q new; git -C new config core.fsmonitor EVIL; cp -rL .git evil-git; git config -f evil-git/config core.fsmonitor EVIL; echo $PWD/evil-git >.git/worktrees/new/commondir",
};

describe("git on the host starts nothing that a contained command put there", () => {
  for (const [name, attack] of Object.entries(DOORS)) {
    testContained(name, async () => {
      const project = await aContainedProject();
      const { code, output, notices } = await project.call(`{ ${attack}; } 2>&1; true`);
      expect({ code, output }).toMatchObject({ code: 0 });
      const ran = project.userWorks();
      expect({ ran, output, notices }).toMatchObject({ ran: false });
      // And nothing is wrong with the user's own.
      expect(
        onHost(project.root, "git fsck 2>&1 >/dev/null | grep -v dangling; git rev-parse HEAD"),
      ).toMatchObject({ code: 0 });
      const second = await project.call(`{ ${attack}; } 2>&1; true`);
      expect({ ran: project.userWorks(), second }).toMatchObject({ ran: false });
    });
  }
});

testContained("hooks that were not there are moved aside, wherever they are made from", async () => {
  const project = await aContainedProject();
  const other = aProject("without-hooks");
  onHost(other.root, "rm -rf .git/hooks");
  const view = await contain([other.root]);
  const lookout = createLookout({
    roots: [other.root],
    repositories: view.broker.repositories,
    patterns: [],
    folder: project.state,
  });
  onTestFinished(() => lookout.close());
  lookout.before();
  await view.run(`mkdir .git/hooks; cp ${project.folder}/evil .git/hooks/pre-commit`);
  const { out } = await lookout.after();
  expect(out.map(({ path }) => path)).toEqual([join(other.root, ".git/hooks/pre-commit")]);
  expect(existsSync(out[0]!.kept)).toBe(true);
  onHost(other.root, "git commit -q --allow-empty -m user");
  expect(existsSync(join(project.folder, "canary"))).toBe(false);
  expect(readdirSync(join(other.root, ".git/hooks"))).toEqual([]);
});
