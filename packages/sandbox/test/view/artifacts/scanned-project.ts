import { PROJECT_SETTINGS } from "@haft/workspace";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  createArtifactScanner,
  type ArtifactScannerOptions,
} from "../../../src/view/artifacts/create-artifact-scanner.ts";
import { tempFolder } from "../../support.ts";
import { createProject, contain, git, onHost } from "../git/contained.ts";

/** What makes git look at settings, and run hooks and programs, in each working tree … */
const WORK = [
  "git status",
  "git diff",
  // Without a look at all programs there are, for one with a similar name.
  "git -c help.autocorrect=never st",
  "{ echo x >>u; git add -A; }",
  "git commit -qm user",
  "git checkout -q -",
];
/** … and in each repository. */
const TRAFFIC = ["git pull", "git push -q origin HEAD:refs/heads/pushed"];
const REPOSITORIES = ["work", "work/sub", "work/deep/nested", "beside/sub"];
const WORKING_TREES = ["beside", "work/.trees/one"];

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

/** Below this folder each project is made once, and copied back for each case: making one takes git a hundred processes. */
const all = realpathSync(mkdtempSync(join(tmpdir(), "haft-projects-")));
// Not after the first file that imports this module: others run in the same process.
process.once("exit", () => rmSync(all, { recursive: true, force: true }));

/** What a user's own project has: a linked working tree beside it, a submodule, another repository in it. */
function make(folder: string, shared: boolean): void {
  mkdirSync(folder);
  const { root, origin } = createProject("", folder);
  git(root, "worktree", "add", "-q", "-b", "beside", join(folder, "beside"));
  git(root, "submodule", "--quiet", "add", origin, "sub");
  git(root, "commit", "-qm", "sub");
  mkdirSync(join(root, "deep/nested"), { recursive: true });
  git(join(root, "deep/nested"), "init", "-q");
  writeFileSync(join(root, ".gitignore"), "deep\n");
  git(root, "add", ".gitignore");
  git(root, "commit", "-qm", "ignore");
  git(join(folder, "beside"), "merge", "-q", "main");
  git(join(folder, "beside"), "submodule", "--quiet", "update", "--init");
  if (shared) share(root);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".sample")) rmSync(join(folder, name));
}

/** A user's project as it was made, at the place of the one before, and programs of a command's, as many as asked for. */
export function createUserProject(shared = false, many = 1) {
  const folder = join(all, shared ? "shared" : "plain");
  const made = `${folder}-made`;
  if (!existsSync(made)) {
    make(folder, shared);
    renameSync(folder, made);
  }
  rmSync(folder, { recursive: true, force: true });
  cpSync(made, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const root = join(folder, "work");
  // Each tells that it ran; under names of this project's own, since something of the one before may run still.
  const programs = Array.from({ length: many }, () => {
    const [canary, evil] = ["canary", "evil"].map((name) => join(folder, `${name}-${randomUUID()}`)) as [
      string,
      string,
    ];
    writeFileSync(evil, `#!/bin/sh\necho ran >>${canary}\n`);
    chmodSync(evil, 0o755);
    return { canary, evil };
  });
  const allRan = programs.map(({ canary }) => `[ -e ${canary} ]`).join(" && ");
  const lines = (commands: readonly string[]) =>
    commands.map((line) => `${line}\n${allRan} && exit`).join("\n");
  return {
    folder,
    root,
    programs,
    /**
     * What the user does next, in each of the folders, also in these that are new, until all of the programs ran; answers
     * of each whether it did.
     */
    userWorks(made: readonly string[] = []): boolean[] {
      for (const { canary } of programs) rmSync(canary, { force: true });
      const repositories = [...REPOSITORIES, ...made.flatMap((name) => [`work/${name}`, `work/${name}/sub`])];
      const script = `export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_1=maintenance.auto GIT_CONFIG_VALUE_1=false
for at in ${[...repositories, ...WORKING_TREES].join(" ")}; do
  cd ${folder}/$at 2>/dev/null || continue
  ${lines(WORK)}
  case $at in ${WORKING_TREES.join("|")}) continue;; esac
  ${lines(TRAFFIC)}
done`;
      onHost(folder, script);
      return programs.map(({ canary }) => existsSync(canary));
    },
  };
}

/** Commands in a view, with all that comes before and after each. */
export async function openScannedProject(root: string, options: Partial<ArtifactScannerOptions> = {}) {
  const view = await contain([root]);
  const scanner = createArtifactScanner({
    roots: [root],
    repositories: view.broker.repositories,
    patterns: PROJECT_SETTINGS,
    readOnly: view.broker.mounts.readOnly,
    folder: tempFolder("left-behind"),
    // However busy the machine is, all is looked at before the user goes on.
    bounds: { ms: 60_000, lastMs: 60_000 },
    ...options,
  });
  onTestFinished(() => scanner.close());
  return {
    view,
    scanner,
    async call(command: string) {
      await view.broker.before();
      await scanner.before();
      const ran = await view.run(command);
      const settings = await view.broker.after(false);
      await scanner.after();
      const left = scanner.report();
      return { ...ran, left, notices: [...settings, ...left.notices] };
    },
  };
}
