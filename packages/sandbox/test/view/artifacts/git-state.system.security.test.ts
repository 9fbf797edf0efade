import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createArtifactScanner } from "../../../src/view/artifacts/create-artifact-scanner.ts";
import { hasOutsidePath } from "../../../src/view/git-index/read-index.ts";
import { tempFolder } from "../../support.ts";
import { createProject, git, onHost } from "../git/contained.ts";
import { withEntry } from "./write-index.ts";

const STOPPED = "git checkout -q ours; git rebase theirs";
const GO_ON = "echo 5 >one; git add one; GIT_EDITOR=: git rebase --continue";
const STRATEGY = "mkdir -p git-merge-x; cp EVIL git-merge-x/evil";
const PICKING = "git checkout -q theirs; git cherry-pick ours~1 ours";
const ID = "0123456789012345678901234567890123456789";

/** What a command leaves of work that goes on, and what the user does next. */
const PROGRAM_ATTACKS: Readonly<Record<string, readonly [attack: string, user: string]>> = {
  "a line of a rebase": [`${STOPPED}; echo 'exec EVIL' >>.git/rebase-merge/git-rebase-todo`, GO_ON],
  "a short line of a rebase in a linked working tree": [
    `git worktree add -q w ours; cd w; git rebase theirs; printf ' \\tx EVIL\\n' >>../.git/worktrees/w/rebase-merge/git-rebase-todo`,
    `cd w; ${GO_ON}`,
  ],
  "the strategy of a rebase": [`${STOPPED}; ${STRATEGY}; echo x/evil >.git/rebase-merge/strategy`, GO_ON],
  "the options of a cherry-pick": [
    `${PICKING}; ${STRATEGY}; git config -f .git/sequencer/opts options.strategy x/evil`,
    "echo 5 >one; git add one; GIT_EDITOR=: git cherry-pick --continue",
  ],
  "a remote in a file": [
    'mkdir .git/remotes; printf "URL: $PWD/../bare\\nPush: HEAD:refs/heads/x\\n" >.git/remotes/o',
    "git push o",
  ],
  "the index": ["HOSTILE .git/hooks/post-checkout", "git checkout -- .; git checkout -q -b next"],
};
/** The same, and the user's git writes, or reads for others. */
const FILES: Readonly<Record<string, readonly [attack: string, user: string]>> = {
  "the options of applied patches": [
    "git format-patch -q --stdout theirs..ours >p; git checkout -q theirs; git am -3 p; echo \" '--build-fake-ancestor=THEIRS'\" >.git/rebase-apply/apply-opt",
    "git am --skip",
  ],
  "the index, with a path outside": ["HOSTILE ../theirs", "git checkout-index -f -a"],
  "recorded resolutions of conflicts": [
    `mkdir -p .git/rr-cache/${ID}; echo pre >.git/rr-cache/${ID}/preimage; printf '${ID}\\t../theirs\\0' >.git/MERGE_RR`,
    "git commit -q --allow-empty -m user",
  ],
};

const template = realpathSync(mkdtempSync(join(tmpdir(), "haft-template-")));
afterAll(() => rmSync(template, { recursive: true }));

function makeTemplate(): void {
  const { folder, root } = createProject();
  onHost(
    root,
    "git checkout -qb ours; echo 2 >one; git commit -qam 2; echo 3 >three; git add three; git commit -qm 3; git checkout -qb theirs main; echo 4 >one; git commit -qam 4; git init -q --bare ../bare",
  );
  cpSync(folder, template, { recursive: true });
}

function aRepository() {
  const folder = tempFolder("state");
  const root = join(folder, "work");
  if (!existsSync(join(template, "work"))) makeTemplate();
  cpSync(template, folder, { recursive: true });
  const [evil, theirs, canary] = [join(folder, "evil"), join(folder, "theirs"), join(folder, "canary")];
  writeFileSync(evil, `#!/bin/sh\necho ran >>${canary}\nexit 1\n`);
  chmodSync(evil, 0o755);
  onHost(root, `cp ${evil} ../bare/hooks/pre-receive`);
  writeFileSync(theirs, "as it was\n");
  const happened = () => {
    const isCopied = readdirSync(join(root, ".git"), { recursive: true, withFileTypes: true }).some(
      (one) => one.isFile() && readFileSync(join(one.parentPath, one.name), "utf8").includes("as it was"),
    );
    return existsSync(canary) || isCopied || readFileSync(theirs, "utf8") !== "as it was\n";
  };
  const run = (command: string) => {
    const [, path] = /^HOSTILE (.*)$/.exec(command) ?? [];
    if (path === undefined)
      return onHost(root, command.replaceAll("EVIL", evil).replaceAll("THEIRS", theirs));
    const object = git(root, "hash-object", "-w", evil).trim();
    const index = join(root, ".git/index");
    writeFileSync(index, withEntry(readFileSync(index), path, object));
    return { code: 0, output: "" };
  };
  return { root, run, happened };
}

function openScanner(root: string) {
  const scanner = createArtifactScanner({
    roots: [root],
    repositories: [join(root, ".git")],
    patterns: [],
    folder: tempFolder("left-behind"),
    bounds: { ms: 60_000, lastMs: 60_000 },
  });
  onTestFinished(() => scanner.close());
  return scanner;
}

describe("attacks by unfinished work that the user's git continues", () => {
  test.each(Object.entries({ ...PROGRAM_ATTACKS, ...FILES }))("%s", async (_name, [attack, user]) => {
    const open = aRepository();
    open.run(attack);
    open.run(user);
    expect({ happened: open.happened(), without: "looks" }).toEqual({ happened: true, without: "looks" });
    const { root, run, happened } = aRepository();
    const scanner = openScanner(root);
    await scanner.before();
    const { output } = run(attack);
    await scanner.after();
    const { notices } = scanner.report();
    const userOutput = run(user).output;
    expect({ happened: happened(), output, notices, said: userOutput }).toMatchObject({ happened: false });
    expect(notices.join("\n")).toMatch(/^Held back: /);
  });
});

test("keeps an interrupted rebase, without lines that start programs", async () => {
  const { root, run } = aRepository();
  const scanner = openScanner(root);
  const todo = join(root, ".git/rebase-merge/git-rebase-todo");
  await scanner.before();
  run("git checkout -q ours; git rebase --exec 'echo a >>ran' --update-refs --strategy ort theirs");
  await scanner.after();
  const { quarantined } = scanner.report();
  expect(quarantined.map(({ path }) => path)).toEqual([todo]);
  expect(quarantined[0]!.why).toMatch(/"exec echo a >>ran", "exec echo a >>ran"; the others remain$/);
  expect(readFileSync(quarantined[0]!.kept, "utf8")).toContain("exec echo");
  await scanner.before();
  run("git status; git add one");
  await scanner.after();
  expect(scanner.report().quarantined).toEqual([]);
  expect(run(GO_ON)).toMatchObject({ code: 0 });
  expect(existsSync(join(root, "ran"))).toBe(false);
  expect(git(root, "log", "--format=%s", "theirs..ours")).toBe("3\n2\n");
});

test("reads an index of any version as git does", () => {
  const { root } = aRepository();
  writeFileSync(join(root, `${"long/".length}-${"n".repeat(200)}`), "");
  writeFileSync(join(root, ".gitignore"), "");
  writeFileSync(join(root, "..two"), "");
  git(root, "add", "-A");
  git(root, "add", "-N", ".");
  for (const version of ["2", "3", "4"]) {
    git(root, "update-index", "--index-version", version);
    const index = readFileSync(join(root, ".git/index"));
    expect(hasOutsidePath(index, 20)).toBe(false);
    expect(hasOutsidePath(index.subarray(0, 90), 20)).toBeUndefined();
  }
  git(root, "update-index", "--index-version", "2");
  const plain = readFileSync(join(root, ".git/index"));
  const object = git(root, "rev-parse", "HEAD:one").trim();
  for (const path of [
    "../x",
    "a/../../x",
    "/etc/x",
    ".git/config",
    "sub/.GIT/config",
    `${"d/".repeat(2500)}../x`,
  ])
    expect({ path, is: hasOutsidePath(withEntry(plain, path, object), 20) }).toEqual({ path, is: true });
  for (const path of [".github/x", "a.git/x", "...", "a/..b"])
    expect({ path, is: hasOutsidePath(withEntry(plain, path, object), 20) }).toEqual({ path, is: false });
  execFileSync("git", ["init", "-q", "--object-format=sha256", join(root, "new")]);
  onHost(join(root, "new"), "echo 1 >a; git add a");
  expect(hasOutsidePath(readFileSync(join(root, "new/.git/index")), 32)).toBe(false);
});
