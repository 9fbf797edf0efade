import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitSite, sharedGitSite, shown } from "../../support/git-site.ts";

const sharedSite = sharedGitSite();

type Site = Awaited<ReturnType<typeof gitSite>>;

const SECRET = "a line of somebody else (";

function patchOf(path: string, mode: string, body: string): string {
  const head = `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${body}\n`;
  return mode === "120000" ? `${head}\\ No newline at end of file\n` : head;
}

function mailOf(patch: string): string {
  return `From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: a <a@b.c>\nSubject: x\n\n---\n${patch}--\n2\n`;
}

describe("files outside are not read into a repository, and not shown", () => {
  test.each([
    ["git commit --allow-empty -F link"],
    ["git commit --allow-empty --file=link"],
    ["git tag -F link v1"],
    ["git notes add -F link"],
    ["git merge --no-ff -F link HEAD"],
    ["git apply link"],
    ["git apply --stat OUTSIDE/patch"],
    ["git am link"],
    ["git am OUTSIDE/patch"],
    ["git am box"],
    ["git bundle list-heads OUTSIDE/patch"],
    ["git bundle verify link"],
    ["git blame -S OUTSIDE/secret run.sh"],
    ["git blame -SOUTSIDE/secret run.sh"],
    ["git annotate -S OUTSIDE/secret run.sh"],
    ["git grep -E -f OUTSIDE/secret"],
    ["git grep -Ef OUTSIDE/secret"],
    ["git ls-files -o -X OUTSIDE/secret"],
    ["git ls-files -o --exclude-from=OUTSIDE/secret"],
    ["git ls-files -o --exclude-f OUTSIDE/secret"],
    ["git ls-files -o --exclude-per-directory=../OUTSIDE"],
    ["git log -p -OOUTSIDE/secret"],
    ["git log -pOOUTSIDE/secret"],
    ["git diff -O OUTSIDE/secret"],
    ["git var -l"],
  ])("%s", async (line) => {
    const testSite = await sharedSite();
    const { at, outside, write, run, requests, git } = testSite;
    write(join(outside, "secret"), `${SECRET}\n`);
    write(join(outside, "patch"), mailOf(patchOf("taken", "100644", SECRET)));
    write("p", patchOf("link", "120000", join(outside, line.includes("-F") ? "secret" : "patch")));
    expect(await run("git apply p")).toMatchObject({ kind: "ok" });
    mkdirSync(at("box/cur"), { recursive: true });
    symlinkSync(join(outside, "patch"), at("box/cur/1"));
    const outcome = await run(line.replaceAll("OUTSIDE", outside));
    expect(shown(outcome)).not.toContain(SECRET);
    expect(git("log", "--all")).not.toContain(SECRET);
    expect(requests).toHaveLength(1);
  });

  test("by a name that became a link on the same line", async () => {
    const { outside, write, run, requests, git } = await gitSite();
    write(join(outside, "secret"), `${SECRET}\n`);
    write("message", "mine\n");
    write("p", patchOf("message", "120000", join(outside, "secret")));
    await run("rm message; git apply p && git commit --allow-empty -F message");
    await run("git clean -f message && git apply p && git commit --allow-empty -F message");
    expect(requests).toHaveLength(2);
    expect(git("log")).not.toContain(SECRET);
  });

  test("as objects of another repository", async () => {
    const { at, outside, write, run, requests, git } = await gitSite();
    const other = join(outside, "other");
    git("init", "-q", other);
    writeFileSync(join(other, "secret"), SECRET);
    git("-C", other, "add", "secret");
    write(".git/objects/info/alternates", `${at("lender")}\n`);
    write("lender/info/alternates", `${join(other, ".git/objects")}\n`);
    expect(shown(await run("git cat-file --batch-all-objects --batch"))).not.toContain(SECRET);
    expect(requests).toHaveLength(1);
  });

  test("but files in the workspace are read without approval", async () => {
    const { write, run, requests, git } = await gitSite();
    write("message", "mine\n");
    write("p", patchOf("taken", "100644", "x"));
    expect(await run("git apply --check p")).toMatchObject({ kind: "ok" });
    expect(await run("git apply --index p")).toMatchObject({ kind: "ok" });
    expect(await run("git commit -F message")).toMatchObject({ kind: "ok" });
    await run("git commit --allow-empty -F run.sh && git bundle create all HEAD");
    await run("git bundle verify all");
    expect(requests).toEqual([]);
    expect(git("log")).toContain("mine");
  });
});

test("git format-patch does not write through links that a patch created", async () => {
  const { outside, write, run, requests } = await gitSite();
  write(join(outside, "start"), "mine\n");
  write("p", patchOf("0001-x.patch", "120000", join(outside, "start")));
  await run("git apply p");
  await run("git commit --allow-empty -m x");
  await run("git format-patch --root --always -1");
  await run("git format-patch -1");
  expect(readFileSync(join(outside, "start"), "utf8")).toBe("mine\n");
  expect(requests).toHaveLength(2);
  expect(shown(await run("git format-patch -1 --stdout"))).not.toContain("asked");
  expect(requests).toHaveLength(2);
});

describe("settings of a repository run nothing without approval", () => {
  const hook = ({ write, marker }: Site, path: string): void =>
    write(path, `#!/bin/sh\necho ran >> ${marker}\n`, 0o755);

  test.each([
    ["in a home folder by its owner's name", (testSite: Site) => `~root/..${testSite.at("hooks")}`, "hooks"],
    ["in a folder of git", (testSite: Site) => `%(prefix)/..${testSite.at("hooks")}`, "hooks"],
    ["at an optional path", (testSite: Site) => `:(optional)${testSite.at("hooks")}`, "hooks"],
    ["with characters that are not space for git", () => "hooks\f", "hooks\f"],
    ["with a tab", () => "ho\tks", "ho\tks"],
  ])("hooks %s", async (_, value, folder) => {
    const testSite = await sharedSite();
    hook(testSite, `${folder}/pre-commit`);
    const config = readFileSync(testSite.at(".git/config"), "utf8");
    testSite.write(".git/config", `${config}[core]\n\thooksPath = ${value(testSite)}\n`);
    await testSite.run("git commit --allow-empty -m x");
    expect(testSite.requests).toHaveLength(1);
    expect(testSite.ran()).toBe(false);
  });

  test("hooks in a folder whose name is invalid UTF-8", async () => {
    const testSite = await gitSite();
    const bytes = Buffer.concat([Buffer.from(testSite.at("hooks")), Buffer.from([0xff])]);
    mkdirSync(bytes);
    const program = `#!/bin/sh\necho ran >> ${testSite.marker}\n`;
    writeFileSync(Buffer.concat([bytes, Buffer.from("/pre-commit")]), program, { mode: 0o755 });
    const config = [
      readFileSync(testSite.at(".git/config")),
      Buffer.from("[core]\n\thooksPath = "),
      bytes,
      Buffer.from("\n"),
    ];
    writeFileSync(testSite.at(".git/config"), Buffer.concat(config));
    await testSite.run("git commit --allow-empty -m x");
    expect(testSite.requests).toHaveLength(1);
    expect(testSite.ran()).toBe(false);
  });

  test.each([
    ["git blame run.sh"],
    ["git annotate run.sh"],
    ["git ls-files -m"],
    ["git worktree remove linked"],
  ])("a filter, %s", async (line) => {
    const testSite = await sharedSite();
    const { at, git, marker, run, requests, ran } = testSite;
    git("worktree", "add", "-q", "linked");
    testSite.write(".git/info/attributes", "* filter=odd\n");
    git("config", "filter.odd.clean", `echo ran >> ${marker}; cat`);
    for (const path of ["run.sh", "linked/run.sh"]) utimesSync(at(path), 1, 1);
    await run(line);
    expect(requests).toHaveLength(1);
    expect(ran()).toBe(false);
  });

  test.each([
    ["git show --remerge-diff", undefined],
    ["git log -p --diff-merges=r", undefined],
    ["git log -p --diff-merges remerge", undefined],
    ["git log -p", "remerge"],
  ])("a merge driver, %s", async (line, setting) => {
    const testSite = await sharedSite();
    const { git, write, marker, run, requests, ran } = testSite;
    write(".git/info/attributes", "run.sh merge=odd\n");
    git("checkout", "-q", "-b", "topic");
    write("run.sh", "one\n");
    git("commit", "-q", "-a", "-m", "one");
    git("checkout", "-q", "-");
    write("run.sh", "two\n");
    git("commit", "-q", "-a", "-m", "two");
    git("-c", "merge.odd.driver=true", "merge", "-q", "topic");
    git("config", "merge.odd.driver", `echo ran >> ${marker}; false`);
    if (setting !== undefined) git("config", "log.diffMerges", setting);
    await run(line);
    expect(requests).toHaveLength(1);
    expect(ran()).toBe(false);
  });

  test("an alias that newer versions allow instead of a command", async () => {
    const { git, run, requests } = await gitSite();
    git("config", "alias.st", "status");
    await run("git whatchanged");
    expect(requests).toEqual([]);
    git("config", "alias.whatchanged", "!id");
    await run("git whatchanged");
    expect(requests).toHaveLength(1);
  });

  test("the diff of a submodule", async () => {
    const testSite = await gitSite();
    const { at, git, marker, run, requests, ran, write } = testSite;
    git("init", "-q", "module");
    git("-C", at("module"), "commit", "-q", "--allow-empty", "-m", "x");
    write("module/a", "a\n");
    git("-C", at("module"), "add", "a");
    git("-C", at("module"), "commit", "-q", "-m", "a");
    git("add", "module");
    git("commit", "-q", "-m", "module");
    write("module/a", "b\n");
    git("-C", at("module"), "config", "diff.external", `echo ran >> ${marker}; :`);
    git("config", "diff.submodule", "diff");
    expect(shown(await run("git diff"))).toContain("ignored settings of the repository: diff.submodule");
    expect(requests).toEqual([]);
    await run("git diff --submodule=diff");
    expect(requests).toHaveLength(1);
    expect(ran()).toBe(false);
    git("config", "diff.submodule", "log");
    expect(shown(await run("git diff"))).not.toContain("git ran without");
  });
});

describe("programs on a PATH that begins in the workspace", () => {
  test.each([
    ["git-credential-mine", "git ls-remote https://host.invalid/a.git", "[credential]\n\thelper = mine\n"],
    ["my-gpg", "git commit --allow-empty -S -m x", "[gpg]\n\tprogram = my-gpg\n"],
    ["my-filter", "git status", '[filter "mine"]\n\tclean = my-filter %f\n'],
    ["git-lfs", "git status", ""],
    ["uname", "git bisect start", ""],
  ])("%s", async (name, line, settings) => {
    const testSite = await sharedSite();
    testSite.write(join(testSite.home, ".gitconfig"), testSite.user + settings);
    await testSite.run(line);
    expect(testSite.requests).toEqual([]);
    testSite.write(`bin/${name}`, `#!/bin/sh\necho ran >> ${testSite.marker}\n`, 0o755);
    await testSite.run(line);
    expect(testSite.requests).toHaveLength(1);
    expect(testSite.ran()).toBe(false);
  });
});
