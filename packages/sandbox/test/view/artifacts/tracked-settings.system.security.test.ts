import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { pickShare } from "../../../../../test/support/share.ts";
import { listQuarantined, restoreQuarantined } from "../../../src/view/quarantine/restore-quarantined.ts";
import { tempFolder } from "../../support.ts";
import { git, onHost, testContained } from "../git/contained.ts";
import { openScannedProject } from "./scanned-project.ts";

/** Settings that a team keeps in its repository, of each kind. */
const SETTINGS = [
  ".vscode/settings.json",
  ".vscode/tasks.json",
  ".idea/x.xml",
  ".claude/settings.json",
  ".mcp.json",
  ".envrc",
  "packages/one/.envrc",
  ".devcontainer/devcontainer.json",
  "mise.toml",
  "x.code-workspace",
];

const IDENTITY = (at: string) =>
  `git -C ${at} config user.name Ada; git -C ${at} config user.email ada@example.com`;

/** `main` without settings, and `feat` with all of them; a bare repository that has both, and a submodule with settings. */
function aProject() {
  const folder = tempFolder("tracked");
  cpSync(made, folder, { recursive: true, preserveTimestamps: true });
  return { folder, root: join(folder, "work"), library: join(folder, "library") };
}

let made = "";
beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), "haft-tracked-"));
  makeProject(made);
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

function makeProject(folder: string): void {
  const root = join(folder, "work");
  const write = (at: string, name: string, content: string): void => {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), content);
  };
  onHost(folder, `for at in work library; do git init -q -b main $at; ${IDENTITY("$at")}; done`);
  const library = join(folder, "library");
  write(library, "lib.txt", "lib");
  write(library, ".vscode/settings.json", "{}");
  git(library, "add", "-A");
  git(library, "commit", "-qm", "library");
  write(root, "a.txt", "a\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  git(root, "checkout", "-qb", "feat");
  for (const name of SETTINGS) write(root, name, `team: ${name}\n`);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "settings");
  git(root, "checkout", "-q", "main");
  onHost(
    folder,
    "git clone -q --bare work origin.git; git -C work remote add origin ../origin.git; git -C work fetch -q",
  );
  onHost(root, "git branch -q -u origin/feat main 2>/dev/null; git config pull.rebase false");
}

/** Each brings the settings into a working tree; where that is not the project itself, its name stands before it. */
const BRINGS: Readonly<Record<string, string | readonly [folder: string, command: string]>> = {
  checkout: "git checkout -q feat",
  switch: "git switch -q feat",
  "checkout by paths": "git checkout feat -- . && git commit -qm theirs",
  restore: "git restore --source=feat --staged --worktree -- :/ && git commit -qm theirs",
  merge: "git merge -q --no-edit feat",
  "merge --no-ff": "git merge -q --no-ff --no-edit feat",
  pull: "git pull -q",
  "reset --hard": "git reset -q --hard feat",
  "cherry-pick": "git cherry-pick feat",
  rebase: "git commit -q --allow-empty -m mine && git rebase -q feat",
  "stash pop":
    "git checkout -q feat && git commit -q --amend -m x && git checkout -q main && git cherry-pick -n feat && git stash -q && git stash pop -q --index && git commit -qm popped",
  am: "git format-patch -1 feat --stdout | git am -q",
  "read-tree": "git read-tree -u -m HEAD feat && git commit -qm read",
  clone: ["new", "git clone -q -b feat . new"],
  "clone --no-checkout": ["new", "git clone -q -n -b feat . new && git -C new checkout -q feat"],
  worktree: [".trees/feat", "git worktree add -q .trees/feat feat"],
  "worktree, later": [
    ".trees/feat",
    "git worktree add -q --no-checkout .trees/feat feat; git -C .trees/feat reset -q --hard",
  ],
  submodule: ["sub", "git -c protocol.file.allow=always submodule -q add ../library sub; git commit -qm sub"],
};

const changes = (at: string): string =>
  onHost(
    at,
    "echo work >>work.txt; git add work.txt; git commit -qam work; git show --stat=200 --format= HEAD; git add -A; git stash -q; git status --porcelain",
  ).output;

describe("settings of a team that a contained git brings and that stay unchanged for git", () => {
  for (const [name, one] of pickShare(Object.entries(BRINGS), 5))
    testContained(name, async () => {
      const [at, command] = typeof one === "string" ? ["", one] : one;
      const { root } = aProject();
      const { call, view } = await openScannedProject(root);
      const ran = await call(`${command} || exit 1; ${IDENTITY(at === "" ? "." : at)}`);
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.left.quarantined.length).toBeGreaterThan(0);
      const tree = join(root, at);
      // Nothing is live for the user, and git sees no change: inside …
      for (const path of SETTINGS) expect([path, existsSync(join(tree, path))]).toEqual([path, false]);
      expect(await view.run("git status --porcelain --ignore-submodules=none", tree)).toEqual({
        code: 0,
        output: "",
      });
      const inside = await call(
        `cd ${tree} && echo in >>in.txt && git add -A && git commit -qam in && git show --stat --format= HEAD`,
      );
      expect(inside.output).toMatch(/^ in.txt \| 1 \+\n 1 file changed/);
      // … and on the host.
      expect(changes(tree)).toMatch(/^ work.txt \| 1 \+\n 1 file changed, 1 insertion\(\+\)\n$/);
      const team = name === "submodule" ? [".vscode/settings.json"] : SETTINGS;
      const tracked = git(tree, "ls-tree", "-r", "--name-only", "HEAD").split("\n");
      for (const path of team) expect(tracked).toContain(path);
      for (const { kept, path } of ran.left.quarantined.filter(({ path: moved }) => moved.endsWith(".envrc")))
        expect(readFileSync(kept, "utf8")).toContain(path.slice(tree.length + 1));
    });
});

describe("git and quarantined files", () => {
  testContained("keep the branch's version in a conflict, and allow a commit of the merge", async () => {
    const { root } = aProject();
    onHost(
      root,
      "git checkout -qb other feat; echo other >.envrc; git rm -q .mcp.json; git commit -qam other; git checkout -q main",
    );
    const { call } = await openScannedProject(root);
    await call(
      "git checkout -q feat; echo mine >.envrc; echo mine >.mcp.json; git add -A; git commit -qm mine",
    );
    const ran = await call("git merge other");
    expect(ran.output).toContain("CONFLICT");
    expect(ran.left.quarantined.map(({ path }) => path)).toContain(join(root, ".envrc"));
    expect(git(root, "ls-files", "-u")).toBe("");
    onHost(root, "git commit -qam merged");
    expect(git(root, "show", "HEAD:.envrc")).toBe("mine\n");
    expect(git(root, "show", "HEAD:.mcp.json")).toBe("mine\n");
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  testContained("survive an index that a command recreates or locks", async () => {
    const { root } = aProject();
    const { call, scanner } = await openScannedProject(root);
    await call("git checkout -q feat");
    await call("rm .git/index; git reset -q");
    expect(git(root, "status", "--porcelain")).toBe("");
    await call("git update-index --no-skip-worktree .envrc");
    expect(git(root, "status", "--porcelain")).toBe("");
    await call("git checkout -q main; git checkout -q feat; touch .git/index.lock");
    for (const path of SETTINGS) expect([path, existsSync(join(root, path))]).toEqual([path, false]);
    await call("rm .git/index.lock");
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(await scanner.finish(true)).toBe(true);
    expect(changes(root)).toMatch(/1 file changed/);
  });

  testContained("stay consistent in a later session, and restored files become the user's", async () => {
    const { root } = aProject();
    const folder = tempFolder("left-behind");
    const first = await openScannedProject(root, { folder });
    await first.call("git checkout -q feat");
    await first.scanner.close();
    const { call, scanner } = await openScannedProject(root, { folder });
    await call("rm .git/index; git reset -q");
    expect(git(root, "status", "--porcelain")).toBe("");
    // While something runs, which is when a new file counts as a command's.
    await scanner.before();
    const all = listQuarantined(dirname(folder)).filter(({ workspace }) => workspace === folder);
    expect(all.map(({ path }) => path)).toContain(join(root, ".envrc"));
    for (const one of all) expect(await restoreQuarantined(one)).not.toHaveProperty("reason");
    for (let scan = 0; scan < 2; scan++) {
      await scanner.after(true);
      expect(scanner.report().quarantined).toEqual([]);
    }
    for (const path of SETTINGS) expect(readFileSync(join(root, path), "utf8")).toBe(`team: ${path}\n`);
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(git(root, "ls-files", "-v")).not.toMatch(/^S /m);
    onHost(root, "echo changed >.envrc");
    expect(git(root, "status", "--porcelain")).toBe(" M .envrc\n");
    expect(listQuarantined(dirname(folder)).filter(({ workspace }) => workspace === folder)).toEqual([]);
  });

  testContained(
    "keep a hostile committed file out of the working tree, and its branch can be deleted",
    async () => {
      const { root } = aProject();
      const { call } = await openScannedProject(root);
      await call("mkdir .vscode; echo evil >.vscode/tasks.json; git add -A; git commit -qm evil");
      await call(
        "git update-index --no-skip-worktree .vscode/tasks.json; git checkout -- .vscode; git reset -q --hard",
      );
      expect(existsSync(join(root, ".vscode"))).toBe(false);
      expect(git(root, "status", "--porcelain")).toBe("");
      onHost(root, "git reset -q --hard; git stash -q; git checkout -q .");
      expect(existsSync(join(root, ".vscode"))).toBe(false);
      onHost(root, "git reset -q --hard HEAD~1");
      expect(git(root, "ls-files")).toBe("a.txt\n");
    },
  );

  testContained("are checked by git again after a checkout by the user", async () => {
    const { root } = aProject();
    const { call } = await openScannedProject(root);
    await call("git checkout -q feat");
    onHost(
      root,
      "sleep 0.1; git update-index --no-skip-worktree .envrc; git checkout -q -- .envrc; git update-index --skip-worktree .envrc; sleep 0.1",
    );
    await call("true");
    onHost(root, "echo mine >>.envrc");
    expect(git(root, "status", "--porcelain")).toBe(" M .envrc\n");
  });
});
