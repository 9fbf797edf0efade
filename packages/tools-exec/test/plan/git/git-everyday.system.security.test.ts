import { analyzeCommand } from "@haft/commands";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planCommand } from "../../../src/plan/plan-command.ts";
import { gitSite } from "../../support/git-site.ts";

/** Why a line is asked about; `undefined` for one that is clear. */
async function reasons(lines: readonly string[]): Promise<Record<string, string | undefined>> {
  const testSite = await gitSite();
  const { git, write, at, outside, workspace } = testSite;
  git("remote", "add", "origin", "https://example.invalid/a.git");
  git("remote", "add", "disk", outside);
  git("remote", "add", "hidden", "gh:evil");
  git("remote", "add", "two", "git@example.invalid:b.git");
  git("config", "remote.two.pushurl", "../elsewhere");
  git("config", "remote.odd.vcs", "evil");
  git("config", `url.${outside}/.insteadOf`, "https://rewritten.invalid/");
  git("config", `url.${outside}/p/.pushInsteadOf`, "https://push.invalid/");
  git("config", `url.${at("repos")}/.insteadOf`, "gh:");
  git("branch", "topic");
  for (const folder of ["sub", "evil", "plain"]) mkdirSync(at(folder), { recursive: true });
  write("https:/example.invalid/planted/HEAD", "ref: refs/heads/x\n");
  symlinkSync(outside, at("out"));
  symlinkSync(at(".git"), at("inner"));
  git("init", "-q", join(outside, "other"));
  const found: Record<string, string | undefined> = {};
  for (const text of lines) {
    const plan = await planCommand(workspace, { text, shell: "sh" });
    found[text] = plan.subjects?.command?.unclear;
    // Without the repository more is clear, never less.
    const alone = await analyzeCommand(text, { cwd: at(".") });
    if (alone.unclear !== undefined) expect(plan.subjects?.command?.unclear).toBeDefined();
  }
  return found;
}

const CLEAR = [
  "git status",
  "git status --short --branch",
  "git log --oneline -n 5",
  "git log -p --stat -- run.sh",
  "git diff",
  "git diff --cached --stat",
  "git diff main..topic -- run.sh",
  "git show HEAD:run.sh",
  "git show --stat HEAD",
  "git blame run.sh",
  "git grep -n good",
  "git rev-parse --show-toplevel",
  "git rev-parse HEAD",
  "git describe --always",
  "git ls-files",
  "git branch",
  "git branch -a -vv",
  "git branch new-one",
  "git branch -d topic",
  "git branch --show-current",
  "git checkout topic",
  "git checkout -b feature/x",
  "git checkout -- run.sh",
  "git switch topic",
  "git switch -c feature/y",
  "git add .",
  "git add -A",
  "git add run.sh sub",
  "git commit -m 'a change'",
  "git commit -am 'a change'",
  "git commit --amend --no-edit",
  "git commit --allow-empty -m x",
  "git commit -q -m x -m y --trailer 'Co-authored-by: A <a@b.c>'",
  "git stash",
  "git stash push -m wip -u",
  "git stash pop",
  "git stash list",
  "git stash show -p",
  "git merge topic",
  "git merge --no-ff --no-edit topic",
  "git merge --abort",
  "git rebase main",
  "git rebase --onto main topic",
  "git rebase --continue",
  "git tag v1",
  "git tag -a v1 -m one",
  "git tag -l",
  "git fetch",
  "git fetch origin",
  "git fetch --prune --tags origin main",
  "git pull",
  "git pull --rebase origin main",
  "git pull --ff-only",
  "git push",
  "git push -u origin HEAD",
  "git push --force-with-lease origin topic:topic",
  "git push https://example.invalid/c.git HEAD",
  "git push git@example.invalid:c.git HEAD",
  "git fetch two",
  "git ls-remote origin",
  "git ls-remote https://example.invalid/c.git",
  "git remote -v",
  "git remote add up https://example.invalid/up.git",
  "git remote set-url origin ssh://git@example.invalid/a.git",
  "git remote rename origin up",
  "git remote remove disk",
  "git remote get-url origin",
  "git worktree add wt",
  "git worktree add -b feature/z sub/wt main",
  "git worktree list",
  "git worktree prune",
  "git init plain",
  "git init new/one",
  "git init -q -b main plain",
  "git clone https://example.invalid/a.git",
  "git clone --depth 1 git@example.invalid:a/b.git sub/b",
  "git clone https://example.invalid/a.git .cache/b",
  "git bundle create sub/x.bundle HEAD",
  "git archive HEAD",
  "git restore run.sh",
  "git restore --staged run.sh",
  "git reset --hard HEAD",
  "git reset --soft HEAD~1",
  "git reset run.sh",
  "git cherry-pick topic",
  "git revert --no-edit HEAD",
  "git clean -fd",
  "git clean -n",
  "git rm --cached run.sh",
  "git mv run.sh sub/run.sh",
  "git apply p.patch",
  "git apply --check --3way p.patch",
  "git am p.mbox",
  "git notes add -m x",
  "git reflog",
  "git bisect start",
  "git bisect good HEAD",
  "git shortlog -sn HEAD",
  "git -C sub status",
  "cd sub && git status",
  "git add . && git commit -m x && git push",
  "git fetch && git merge origin/main && git log --oneline",
  "git gc",
  "git --no-pager log",
  "git --version",
];

const UNCLEAR: readonly (readonly [string, RegExp])[] = [
  // Operands that make, move or replace.
  ["git init .git/x", /files of a repository/],
  ["git init sub/.git", /files of a repository/],
  ["git init sub/.GIT/x", /files of a repository/],
  ["git init sub/git~1", /files of a repository/],
  ["git init inner/hooks", /files of a repository/],
  ["git init --bare sub", /--bare/],
  ["git init --template=evil sub", /--template/],
  ["git init --separate-git-dir=evil sub", /--separate-git-dir/],
  ["git init --separate evil sub", /--separate/],
  ["git init /tmp/haft-never", /leaves the workspace/],
  ["git init ../x", /leaves the workspace/],
  ["git init sub/../../x", /through \.\./],
  ["git init out/x", /leaves the workspace/],
  ["git worktree add /tmp/haft-never", /leaves the workspace/],
  ["git worktree add out/x", /leaves the workspace/],
  ["git worktree add inner/hooks/x", /files of a repository/],
  ["git worktree add -f x", /-f/],
  ["git worktree move sub sub/.git", /files of a repository/],
  ["git worktree move sub out/x", /leaves the workspace/],
  ["git worktree repair evil", /can start other programs/],
  ["git worktree remove elsewhere", /name of another folder/],
  ["git bundle create .git/hooks/x HEAD", /files of a repository/],
  ["git bundle create out/x HEAD", /leaves the workspace/],
  ["git bundle unbundle x", /can start/],
  ["git clone https://example.invalid/a.git out/x", /leaves the workspace/],
  ["git clone https://example.invalid/a.git sub/.git", /files of a repository/],
  ["git clone https://example.invalid/.git.git", /name cannot be told|files of a repository/],
  ["git clone https://example.invalid/planted x", /takes for the repository/],
  ["git clone evil x", /another repository on this machine/],
  ["git clone ./evil x", /another repository on this machine/],
  ["git clone ssh://localhost/evil x", /another repository on this machine/],
  ["git clone ssh://git@127.0.0.1:22/evil x", /another repository on this machine/],
  ["git clone git@localhost:evil x", /another repository on this machine/],
  ["git clone 'git@[::1]:evil' x", /another repository on this machine/],
  ["git clone ssh://2130706433/evil x", /another repository on this machine/],
  ["git clone foo::bar x", /another repository on this machine/],
  ["git clone foo://bar x", /another repository on this machine/],
  ["git clone -c core.fsmonitor=evil https://example.invalid/a", /-c/],
  ["git clone --config=core.fsmonitor=evil https://example.invalid/a", /--config/],
  ["git clone --recurse-submodules https://example.invalid/a", /--recurse-submodules/],
  ["git clone --reference evil https://example.invalid/a", /--reference/],
  ["git clone --bare https://example.invalid/a", /--bare/],
  ["git mv sub .git/hooks", /files of a repository/],
  ["git mv evil sub/.git", /files of a repository/],
  ["git mv run.sh out/x", /leaves the workspace/],
  ["git checkout && git init new", /comes after files were changed/],
  ["git checkout topic && git -C sub status", /another folder after files were changed/],
  ["git checkout topic && cd sub && git status", /another folder after files were changed/],
  ["git apply --unsafe-paths p", /--unsafe-paths/],
  ["git apply --unsafe p", /--unsafe/],
  ["git apply --directory=.git p", /--directory/],
  ["git apply --build-fake-ancestor=.git/config p", /--build-fake-ancestor/],
  ["git am --directory=x p", /--directory/],
  ["git am --interactive p", /--interactive/],
  ["git archive --output=x HEAD", /--output/],
  ["git archive --format=tgz HEAD", /--format tgz/],
  ["git archive --remote=evil HEAD", /--remote/],
  ["git format-patch --output-dir=x HEAD", /--output-dir/],
  ["git clean -ffdx", /-f twice/],
  ["git clean -f -d --force", /--force/],
  ["git clean -i", /-i/],
  ["git add --chmod=+x run.sh", /--chmod/],
  ["git add -p", /-p/],
  ["git read-tree --prefix=.git/ HEAD", /git read-tree can be/],
  ["git checkout-index --prefix=/tmp/x/ -a", /git checkout-index can be/],
  ["git update-ref config x", /git update-ref can be/],
  ["git symbolic-ref config refs/heads/x", /any reference/],
  ["git notes edit", /git notes edit/],
  ["git bisect run ./evil", /git bisect run/],
  ["git rebase -x ./evil main", /-x/],
  ["git rebase --exec=./evil main", /--exec/],
  ["git rebase -i main", /-i/],
  ["git rebase --interac main", /--interac/],
  ["git rebase --strategy=evil main", /--strategy evil/],
  ["git merge -s evil topic", /-s evil/],
  ["git merge --strat=evil topic", /--strat/],
  ["git difftool", /git difftool/],
  ["git mergetool", /git mergetool/],
  ["git instaweb", /git instaweb/],
  ["git replace --edit HEAD", /git replace/],
  ["git config core.fsmonitor ./evil", /git config/],
  ["git submodule update --init", /git submodule update/],
  ["git sparse-checkout set sub", /git sparse-checkout set/],
  ["git filter-branch --tree-filter ./evil", /git filter-branch/],
  ["git commit -F /etc/hostname", /-F/],
  ["git commit -F ../x -m y", /-F/],
  ["git commit -p", /-p/],
  ["git branch --edit-description", /--edit-description/],
  ["git log --help", /--help/],
  ["git help -w log", /git help/],
  ["git send-email p", /git send-email/],
  ["git status -v", /-v/],
  ["git cat-file --filters HEAD:run.sh", /--filters/],
  // Other folders.
  ["git -C / status", /outside of the workspace/],
  ["git -C .. status", /outside of the workspace/],
  ["git -C out/other status", /outside of the workspace/],
  ["git -C sub/../.. status", /through \.\. and back|outside/],
  ["git -C .git status", /files of a repository/],
  ["git -C inner status", /files of a repository/],
  ["cd out && git status", /outside of the workspace/],
  ["cd .git && git status", /files of a repository/],
  ["git -C missing status", /not there yet/],
  ["git --git-dir=evil status", /--git-dir/],
  ["git --work-tree=/ checkout .", /--work-tree/],
  // Other repositories.
  ["git push disk", /not an address of another machine/],
  ["git fetch disk", /not an address of another machine/],
  ["git pull disk main", /not an address of another machine/],
  ["git remote update", /not an address of another machine/],
  ["git remote show disk", /not an address of another machine/],
  ["git fetch --all", /not an address of another machine/],
  ["git fetch --multiple origin disk", /not an address of another machine/],
  ["git push hidden", /stands for/],
  ["git push two", /not an address of another machine/],
  ["git fetch odd", /names a program/],
  ["git push evil HEAD", /not a remote with an address/],
  ["git push . HEAD:x", /another repository on this machine/],
  ["git fetch https://rewritten.invalid/x", /stands for/],
  ["git push https://push.invalid/x", /stands for/],
  ["git remote add z https://rewritten.invalid/x", /stands for/],
  ["git remote set-url origin ./evil", /another repository on this machine/],
  ["git remote set-url --push origin evil", /another repository on this machine/],
  ["git push --repo=./evil", /--repo/],
  ["git push --receive-pack=./evil origin", /--receive-pack/],
  ["git push --exec=./evil origin", /--exec/],
  ["git fetch --upload-pack=./evil origin", /--upload-pack/],
  ["git fetch --recurse-submodules origin", /--recurse-submodules/],
  ["git ls-remote evil", /not a remote with an address/],
];

describe("git on a list", () => {
  test("everyday lines are clear", async () => {
    const found = await reasons(CLEAR);
    expect(Object.entries(found).filter(([, why]) => why !== undefined)).toEqual([]);
  });

  test("lines that create, move, transfer or start something elsewhere are unclear", async () => {
    const found = await reasons(UNCLEAR.map(([line]) => line));
    const wrong = UNCLEAR.filter(([line, why]) => !why.test(found[line] ?? ""));
    expect(wrong.map(([line]) => [line, found[line] ?? "clear"])).toEqual([]);
  });
});
