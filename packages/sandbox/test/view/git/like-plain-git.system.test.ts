import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { createProject, contain, type Contained, onHost, type Ran, testContained } from "./contained.ts";

/** What somebody who works in a repository does, one after the other. */
const COMMANDS = `
git status
git branch -vv
git checkout -b x origin/topic
git branch -m y
git branch -vv
echo 2 >two; git add two; git commit -m two
git log --oneline -3
git stash list; echo 3 >>two; git stash; git stash pop
git commit -am three
git branch -d y
git checkout main
git branch -d y
git branch -D y
git switch -c feature --track origin/topic
git branch --unset-upstream
git branch --set-upstream-to origin/topic
git branch -u origin/main
git push -u origin feature
git fetch --prune
git pull --rebase
git config user.name "Another Person"
git config --get user.name
git config --unset user.name; git config user.name "A Person"
git config --add remote.origin.fetch "+refs/notes/*:refs/notes/*"
git config --get-all remote.origin.fetch
git config --unset-all remote.origin.fetch "notes"
git config pull.rebase true; git config push.default simple
git remote add second https://example.com/a.git
git remote rename second third
git remote set-url third ssh://git@example.com/b.git
git remote set-url --add --push third git@example.com:c.git
git remote -v
git remote remove third
git branch -m feature renamed
git branch -c renamed copied
git branch -d copied
git branch --edit-description renamed </dev/null
git tag v1; git tag -a v2 -m two; git describe
git worktree add -b tree trees/one origin/topic
git worktree list
git -C trees/one status
cd trees/one && echo t >t && git add t && git commit -m t && git branch -m tree2 && git status
git -C trees/one branch --unset-upstream
git worktree lock trees/one; git worktree unlock trees/one
git branch -D tree2
git worktree move trees/one trees/two; git worktree list
git worktree remove trees/two
git worktree prune
git branch -D tree2
git checkout -b topic2 && echo z >z && git add z && git commit -m z
git rebase main; git cherry-pick v1; git cherry-pick --skip
git checkout main; git merge --no-ff -m merged topic2
git reset --hard HEAD~1; git reflog
git revert --no-edit HEAD
git rebase -x true HEAD~1
git bisect start; git bisect bad; git bisect good v1; git bisect reset
git gc; git pack-refs --all; git repack -ad
git fsck
git checkout --detach; git switch -; git branch
git submodule add ../origin sub
git commit -m sub; git submodule status
git submodule update --init; git -C sub checkout topic; git -C sub status
git submodule sync; git submodule foreach git status
git submodule deinit -f sub; git submodule update --init sub
git rm -f sub; git commit -m gone
git clone . copy; git -C copy log --oneline; rm -rf copy
git notes add -m note; git notes show
git config --get-regexp "^branch"
git config --rename-section branch.renamed branch.other
git config --remove-section branch.other
git rev-parse --git-common-dir --git-dir --show-toplevel
git clean -fdx; git status
git diff HEAD~1; git show --stat; git grep 1; git blame one; git shortlog -s HEAD
git archive HEAD | tar t; git ls-files; git ls-remote
git config --local --list | sort
git init
git symbolic-ref HEAD; git remote set-head origin -a; git remote show origin
git config rerere.enabled true; git rerere
git format-patch -1; git am 0001-*; git am --abort; rm 0001-*
git checkout -b conflict HEAD~1; echo 9 >one; git commit -am nine; git merge main; git merge --abort
git update-ref refs/heads/direct HEAD; git branch direct -D
`
  .trim()
  .split("\n")
  .slice(0, scaleRuns(82, 4));

const plain = ({ code, output }: Ran, folder: string) => ({
  code,
  output: output.replaceAll(folder, "…").replaceAll(/\d+\.\d+ .?i?B\/s|\b[0-9a-f]{7,40}\b/g, "#"),
});

const STATE = `git status --porcelain && echo -- && git for-each-ref --format='%(refname) %(objectname) %(upstream)' &&
  echo -- && cat .git/HEAD && echo -- && git config --local --list | LC_ALL=C sort`;

testContained(
  `${COMMANDS.length} lines of git have the same effect and output in a view as outside`,
  { timeout: 300_000 },
  async () => {
    const [one, other] = [createProject("one"), createProject("two")];
    const view: Contained = await contain([one.root], undefined, [one.origin]);
    const unlike: object[] = [];
    for (const command of COMMANDS) {
      const inside = await view.call(`exec 2>&1; ${command}`);
      const outside = onHost(other.root, `exec 2>&1; ${command}`);
      const outputs = [plain(inside, one.folder), plain(outside, other.folder)];
      const left = [one, other].map(({ root, folder }) => {
        const { code, output } = onHost(root, STATE);
        return { code, output: output.replaceAll(folder, "…") };
      });
      expect(left[0]).toMatchObject({ code: 0 });
      if (!isDeepStrictEqual(...(outputs as [unknown, unknown])) || inside.notices.length > 0)
        unlike.push({ command, said: outputs, notices: inside.notices });
      if (!isDeepStrictEqual(...(left as [unknown, unknown]))) unlike.push({ command, left });
    }
    expect(unlike).toEqual([]);
    expect(await view.close()).toEqual([]);
    expect(onHost(one.root, "git fsck && git status --porcelain")).toEqual(
      onHost(other.root, "git fsck && git status --porcelain"),
    );
    expect(onHost(one.root, "ls -A .git .")).toEqual(onHost(other.root, "ls -A .git ."));
  },
);
