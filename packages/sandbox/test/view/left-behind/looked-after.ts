import { PROJECT_SETTINGS } from "@haft/workspace";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LookoutOptions } from "../../../src/view/left-behind/create-lookout.ts";
import { createLookout } from "../../../src/view/left-behind/create-lookout.ts";
import { tempFolder } from "../../support.ts";
import { aProject, contain, git, onHost } from "../git/contained.ts";

/** All that makes git look at settings, and run hooks. */
const WORK =
  "git status; git diff; git log -1; git st; echo x >>u; git add -A; git commit -qm user; git checkout -q -; git fetch; git pull; " +
  "git push -q origin HEAD:refs/heads/pushed; git branch; git stash; git gc --auto";

/** Its settings name files and hooks that are in the project itself. */
function share(root: string): void {
  mkdirSync(join(root, ".husky"));
  writeFileSync(join(root, ".husky/commit-msg"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(root, "deeper.gitconfig"), "");
  writeFileSync(join(root, "shared.gitconfig"), "[include]\n\tpath = deeper.gitconfig\n");
  writeFileSync(join(root, ".gitignore"), "deep\n.trees\n");
  git(root, "add", ".");
  git(root, "commit", "-qm", "hooks and settings that everybody has");
  git(root, "config", "core.hooksPath", ".husky");
  git(root, "config", "--add", "include.path", "../shared.gitconfig");
  git(root, "config", "--add", "include.path", "../later.gitconfig");
  git(root, "worktree", "add", "-q", "-b", "one", join(root, ".trees/one"));
}

/** A project with what a user's own has: a linked working tree beside it, a submodule, another repository in it. */
export function aUsersProject(shared = false) {
  const { folder, root, origin } = aProject();
  const canary = join(folder, "canary");
  const evil = join(folder, "evil");
  const outside = join(folder, "beside");
  git(root, "worktree", "add", "-q", "-b", "beside", outside);
  git(root, "submodule", "--quiet", "add", origin, "sub");
  git(root, "commit", "-qm", "sub");
  mkdirSync(join(root, "deep/nested"), { recursive: true });
  git(join(root, "deep/nested"), "init", "-q");
  writeFileSync(join(root, ".gitignore"), "deep\n");
  git(root, "add", ".gitignore");
  git(root, "commit", "-qm", "ignore");
  if (shared) share(root);
  // It tells that it ran.
  writeFileSync(evil, `#!/bin/sh\necho ran >>${canary}\n`);
  chmodSync(evil, 0o755);
  const places = [
    root,
    outside,
    ...["sub", "deep/nested", "new", "new/sub", ".trees/one"].map((name) => join(root, name)),
  ];
  return {
    folder,
    root,
    evil,
    /** What the user does next, in each of the folders; answers whether anything of the command's ran. */
    userWorks(): boolean {
      for (const at of places) if (existsSync(at)) onHost(at, WORK);
      return existsSync(canary);
    },
  };
}

/** Commands in a view, with all that comes before and after each. */
export async function lookedAfter(root: string, options: Partial<LookoutOptions> = {}) {
  const view = await contain([root]);
  const lookout = createLookout({
    roots: [root],
    repositories: view.broker.repositories,
    patterns: PROJECT_SETTINGS,
    held: view.broker.places.held,
    folder: tempFolder("left-behind"),
    ...options,
  });
  onTestFinished(() => lookout.close());
  return {
    view,
    lookout,
    async call(command: string) {
      await view.broker.refresh();
      await view.broker.mend();
      lookout.before();
      const ran = await view.run(command);
      const settings = await view.broker.takeBack();
      const left = await lookout.after();
      return { ...ran, left, notices: [...settings, ...left.notices] };
    },
  };
}
