import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Of nobody's own settings, and of this machine's repositories. */
const ENVIRONMENT = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: "3",
  GIT_CONFIG_KEY_0: "protocol.file.allow",
  GIT_CONFIG_VALUE_0: "always",
  GIT_CONFIG_KEY_1: "user.name",
  GIT_CONFIG_VALUE_1: "A Person",
  GIT_CONFIG_KEY_2: "user.email",
  GIT_CONFIG_VALUE_2: "person@example.com",
};
/** All that makes git look at settings, and run hooks. */
const WORK =
  "git status; git diff; git log -1; git st; echo x >>u; git add -A; git commit -qm user; git checkout -q -; git fetch; git pull; " +
  "git push -q origin HEAD:refs/heads/pushed; git branch; git stash; git gc --auto";
const AS_IT_WAS = "as it was\n";

/** A project of a user's, with a remote, a submodule, linked working trees, and another repository in it. */
export interface UsersProject {
  folder: string;
  root: string;
  /** A file of the user's beside the project. */
  theirs: string;
  /** Shell that makes the program that tells that it ran, in the project, and calls it `$EVIL`. */
  evil: string;
  /** What the user does next, in each of the folders. What of a command's came of that; `undefined` for nothing. */
  judge(): string | undefined;
  /** The user's git in the project; whatever comes of it. */
  git(...args: string[]): void;
  close(): void;
}

/** @param shared its settings name files and hooks that are in the project itself */
export function openUsersProject(shared: boolean): UsersProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-doors-")));
  const [origin, root, others] = [join(folder, "origin"), join(folder, "work"), join(folder, "theirs")];
  const git = (at: string, ...args: string[]) =>
    execFileSync("git", args, { cwd: at, env: ENVIRONMENT, stdio: "pipe" });
  mkdirSync(origin);
  git(origin, "init", "-q", "-b", "main");
  writeFileSync(join(origin, "one"), "1\n");
  git(origin, "add", ".");
  git(origin, "commit", "-qm", "one");
  git(origin, "branch", "topic");
  git(folder, "clone", "-q", "origin", "work");
  git(root, "worktree", "add", "-q", "-b", "beside", join(folder, "beside"));
  git(root, "submodule", "--quiet", "add", origin, "sub");
  git(root, "commit", "-qm", "sub");
  git(join(folder, "beside"), "merge", "-q", "main");
  git(join(folder, "beside"), "submodule", "--quiet", "update", "--init");
  mkdirSync(join(root, "deep/nested"), { recursive: true });
  git(join(root, "deep/nested"), "init", "-q");
  writeFileSync(join(root, ".gitignore"), "deep\n.trees\n.evil\n");
  if (shared) {
    mkdirSync(join(root, ".husky"));
    writeFileSync(join(root, ".husky/commit-msg"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(root, "deeper.gitconfig"), "");
    writeFileSync(join(root, "shared.gitconfig"), "[include]\n\tpath = deeper.gitconfig\n");
  }
  git(root, "add", ".");
  git(root, "commit", "-qm", "what everybody has");
  if (shared) {
    git(root, "config", "core.hooksPath", ".husky");
    git(root, "config", "--add", "include.path", "../shared.gitconfig");
    git(root, "config", "--add", "include.path", "../later.gitconfig");
    git(root, "worktree", "add", "-q", "-b", "one", join(root, ".trees/one"));
  }
  writeFileSync(others, AS_IT_WAS);
  const canary = join(folder, "canary");
  const inside = ["", "sub", "deep/nested", "new", "new/sub", ".trees/one"].map((name) => join(root, name));
  return {
    folder,
    root,
    theirs: others,
    evil: `printf '#!/bin/sh\\necho "$0 in $PWD" >>${canary}\\n' >.evil; chmod 755 .evil; EVIL=$PWD/.evil`,
    judge() {
      // Of programs in the project, only what git starts counts.
      for (const at of [...inside, join(folder, "beside"), join(folder, "beside/sub")].filter((path) =>
        existsSync(path),
      ))
        spawnSync("/bin/sh", ["-c", WORK], { cwd: at, env: ENVIRONMENT, stdio: "ignore" });
      if (existsSync(canary))
        return `the user's git ran a program of the command's: ${readFileSync(canary, "utf8").trim()}`;
      if (readFileSync(others, "utf8") !== AS_IT_WAS) return "the user's git wrote to a file of the user's";
      const { status } = spawnSync("git", ["fsck"], { cwd: root, env: ENVIRONMENT, stdio: "ignore" });
      return status === 0 ? undefined : "the user's repository is broken";
    },
    git: (...args) => void spawnSync("git", args, { cwd: root, env: ENVIRONMENT, stdio: "ignore" }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
