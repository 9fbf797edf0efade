import { PROJECT_SETTINGS } from "@haft/workspace";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createArtifactScanner,
  type ArtifactScannerOptions,
} from "../../../src/view/artifacts/create-artifact-scanner.ts";
import { listQuarantined, restoreQuarantined } from "../../../src/view/quarantine/restore-quarantined.ts";
import { tempFolder } from "../../support.ts";
import { createProject, git, onHost } from "../git/contained.ts";

/** Longer than the system takes to count on. */
const A_WHILE = 60;

function openScanner(root: string, options: Partial<ArtifactScannerOptions> = {}) {
  const folder = tempFolder("left-behind");
  const scanner = createArtifactScanner({
    roots: [root],
    repositories: [],
    patterns: PROJECT_SETTINGS,
    folder,
    // However busy the machine is.
    bounds: { ms: 60_000, lastMs: 60_000 },
    ...options,
  });
  onTestFinished(() => scanner.close());
  return {
    ...scanner,
    async after(goesOn?: boolean) {
      await scanner.after(goesOn);
      return scanner.report();
    },
  };
}

test("reports that records cannot be written, and leaves no files", () => {
  const folder = tempFolder("no-room");
  writeFileSync(join(folder, "open"), "no folder");
  const begin = () =>
    createArtifactScanner({
      roots: [tempFolder("project")],
      repositories: [],
      patterns: PROJECT_SETTINGS,
      folder,
    });
  expect(begin).toThrow(
    expect.objectContaining({
      code: "CONTAINMENT_UNAVAILABLE",
      message: expect.stringContaining(`the record of their files in ${folder} cannot be written: `),
      fix: expect.stringContaining("Free space"),
    }),
  );
});

test("moves settings of commands aside as a whole, and leaves settings of others", async () => {
  const root = tempFolder("project");
  mkdirSync(join(root, "deep/.vscode"), { recursive: true });
  await sleep(A_WHILE);
  const held: string[] = [];
  const scanner = openScanner(root, { protect: async (paths) => void held.push(...paths) });
  await scanner.before();
  mkdirSync(join(root, "a/.vscode"), { recursive: true });
  writeFileSync(join(root, "a/.vscode/tasks.json"), "{}");
  writeFileSync(join(root, ".envrc"), "evil");
  writeFileSync(join(root, "a/readme"), "");
  const { quarantined, notices, unscanned } = await scanner.after();
  expect(unscanned.count).toBe(0);
  expect(quarantined.map(({ path }) => path).toSorted()).toEqual([
    join(root, ".envrc"),
    join(root, "a/.vscode"),
  ]);
  expect(readdirSync(join(root, "a"))).toEqual(["readme"]);
  expect(existsSync(join(root, "deep/.vscode"))).toBe(true);
  const target = quarantined.find(({ path }) => path.endsWith(".vscode"))!.kept;
  expect(readFileSync(join(target, "tasks.json"), "utf8")).toBe("{}");
  expect(notices.join("\n")).toContain(`Held back: ${join(root, ".envrc")}`);
  expect(held).toEqual([join(root, "deep/.vscode")]);
  await sleep(A_WHILE);
  writeFileSync(join(root, ".envrc"), "mine");
  await sleep(A_WHILE);
  await scanner.before();
  expect((await scanner.after()).quarantined).toEqual([]);
  expect(readFileSync(join(root, ".envrc"), "utf8")).toBe("mine");
  expect(held).toContain(join(root, ".envrc"));
});

test("leaves settings in installed packages, unless a link makes their folder part of the project", async () => {
  const root = tempFolder("project");
  mkdirSync(join(root, "src"));
  await sleep(A_WHILE);
  const scanner = openScanner(root);
  await scanner.before();
  const remaining = [
    "node_modules/x/.vscode",
    ".venv/lib/python3/site-packages/y/.idea",
    "app/node_modules/create/template/.claude",
  ];
  for (const name of [
    ...remaining,
    "node_modules/linked/.vscode",
    "node_modules/linked/deep/.idea",
    "src/.vscode",
  ])
    mkdirSync(join(root, name), { recursive: true });
  expect((await scanner.after()).quarantined.map(({ path }) => path)).toEqual([join(root, "src/.vscode")]);
  for (const name of remaining) expect(existsSync(join(root, name))).toBe(true);
  await sleep(A_WHILE);
  await scanner.before();
  symlinkSync("../node_modules/linked", join(root, "src/tool"));
  const { quarantined } = await scanner.after();
  expect(quarantined.map(({ path }) => path).toSorted()).toEqual([
    join(root, "node_modules/linked/.vscode"),
    join(root, "node_modules/linked/deep/.idea"),
  ]);
});

test("hides quarantined files from git, also on another file system than Haft's state", async () => {
  const { root } = createProject();
  const elsewhere = realpathSync(mkdtempSync("/dev/shm/haft-left-"));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  const scanner = openScanner(root, { folder: elsewhere, repositories: [join(root, ".git")] });
  await scanner.after();
  await sleep(A_WHILE);
  await scanner.before();
  mkdirSync(join(root, ".vscode"));
  writeFileSync(join(root, ".vscode/tasks.json"), "evil");
  const { quarantined } = await scanner.after();
  expect(quarantined.map(({ path }) => path)).toEqual([join(root, ".vscode")]);
  expect(readFileSync(join(quarantined[0]!.kept, "tasks.json"), "utf8")).toBe("evil");
  expect(git(root, "status", "--porcelain", "--ignored")).toBe("");
  await sleep(A_WHILE);
  await scanner.before();
  expect((await scanner.after()).quarantined).toEqual([]);
  const [one] = listQuarantined(dirname(elsewhere)).filter(({ workspace }) => workspace === elsewhere);
  await restoreQuarantined(one!);
  expect(readFileSync(join(root, ".vscode/tasks.json"), "utf8")).toBe("evil");
});

test("counts changes as a command's while one of its processes runs", async () => {
  const root = tempFolder("project");
  const scanner = openScanner(root);
  await scanner.before();
  expect((await scanner.after(true)).quarantined).toEqual([]);
  await sleep(A_WHILE);
  writeFileSync(join(root, ".mcp.json"), "{}");
  await sleep(A_WHILE);
  await scanner.before();
  expect((await scanner.after()).quarantined).toMatchObject([{ path: join(root, ".mcp.json") }]);
});

test("reports and cleans a command's repository, remembers it in later sessions, and can forget it", async () => {
  const { root } = createProject();
  const folder = tempFolder("left-behind");
  const options = { roots: [root], repositories: [join(root, ".git")], patterns: [], folder };
  const scanner = openScanner(root, options);
  expect((await scanner.after()).notices).toEqual([]);
  await sleep(A_WHILE);
  await scanner.before();
  onHost(
    root,
    "git init -q new; git -C new config alias.st '!evil'; git -C new remote add o https://example.com/o.git; mkdir new/in",
  );
  const { newRepositories, quarantined, notices } = await scanner.after();
  expect(newRepositories).toEqual([join(root, "new/.git")]);
  expect(quarantined).toMatchObject([
    { path: join(root, "new/.git/config"), why: expect.stringContaining("alias.st") as string },
  ]);
  expect(notices.join("\n")).toContain(`The repository ${join(root, "new")} came from a contained command`);
  expect(git(join(root, "new"), "remote", "get-url", "o")).toBe("https://example.com/o.git\n");
  expect(() => git(join(root, "new"), "config", "alias.st")).toThrow("Command failed");
  onHost(root, "mv new moved");
  const later = openScanner(root, options);
  expect(later.findProvenance(join(root, "moved/in"))).toMatchObject({ path: join(root, "new/.git") });
  expect(later.findProvenance(root)).toBeUndefined();
  // One that is removed, and another in its place, is another one.
  later.forget(join(root, "moved/.git"));
  expect(later.findProvenance(join(root, "moved/in"))).toBeUndefined();
});

test("accepts working trees and submodules of protected repositories", async () => {
  const { root } = createProject();
  const scanner = openScanner(root, { repositories: [join(root, ".git")] });
  await scanner.after();
  await sleep(A_WHILE);
  await scanner.before();
  onHost(
    root,
    "git worktree add -q trees/one origin/topic; git submodule -q add ../origin sub; git commit -qm sub",
  );
  const { quarantined, newRepositories } = await scanner.after();
  expect(quarantined).toEqual([]);
  expect(newRepositories).toEqual([join(root, ".git/modules/sub")]);
  expect(
    onHost(
      root,
      "git status --porcelain; git -C trees/one status --porcelain; git -C sub status --porcelain; git submodule status | wc -l",
    ),
  ).toMatchObject({ output: expect.stringMatching(/^\?\? trees\/\n1\n$/) as string });
});

test("names unscanned folders, scans them in the background, and completes the scan on finish", async () => {
  const root = tempFolder("project");
  const scanner = openScanner(root, { bounds: { entries: 20, ms: 60_000 } });
  await scanner.before();
  for (let at = 0; at < 300; at++) mkdirSync(join(root, `f${at}/in`), { recursive: true });
  writeFileSync(join(root, "f299/in/.envrc"), "evil");
  const { unscanned, notices } = await scanner.after();
  expect(unscanned.count).toBeGreaterThan(0);
  expect(notices.join()).toContain(
    `Not yet searched for files of commands that other programs would run: ${root}/f`,
  );
  expect(await scanner.finish()).toBe(true);
  const found = scanner.report();
  expect(found.quarantined.map(({ path }) => path)).toEqual([join(root, "f299/in/.envrc")]);
  expect(found.unscanned.count).toBe(0);
  await scanner.before();
  mkdirSync(join(root, "more"));
  for (let at = 0; at < 300; at++) mkdirSync(join(root, `more/f${at}/in`), { recursive: true });
  writeFileSync(join(root, "more/f299/in/.envrc"), "evil");
  const late = await scanner.after();
  expect(late.unscanned.count).toBeGreaterThan(0);
  await vi.waitUntil(() => !existsSync(join(root, "more/f299/in/.envrc")), { timeout: 60_000 });
  expect(scanner.report().quarantined).toHaveLength(1);
});

test("moves nothing out of a folder that became a link", async () => {
  const [root, home] = [tempFolder("project"), tempFolder("home")];
  mkdirSync(join(root, "sub"));
  writeFileSync(join(home, ".envrc"), "mine");
  const scanner = openScanner(root);
  await scanner.after();
  await scanner.before();
  onHost(root, `rmdir sub; ln -s ${home} sub; touch ${home}/.envrc`);
  expect((await scanner.after()).quarantined).toEqual([]);
  expect(readFileSync(join(home, ".envrc"), "utf8")).toBe("mine");
});

test("reports many files in one sentence, with a list of their new paths", async () => {
  const root = tempFolder("project");
  const scanner = openScanner(root);
  await scanner.before();
  for (let at = 0; at < 30; at++) mkdirSync(join(root, `f${at}/.vscode`), { recursive: true });
  writeFileSync(join(root, "x\ny.code-workspace"), "");
  const { quarantined, notices } = await scanner.after();
  expect(quarantined).toHaveLength(31);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatch(/^Held back: \S+, \S+, \S+ and 28 more, because [^\n]*$/);
  const [, list = ""] = /are in (\S+);/.exec(notices[0]!) ?? [];
  const lines = readFileSync(list, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
    quarantined.map(({ path, kept }) => ({ path, kept })),
  );
});

test("removes settings that start programs of other version control systems, but not the origin of a clone", async () => {
  const root = tempFolder("project");
  const scanner = openScanner(root);
  const made = {
    "hg/.hg/hgrc": "[hooks]\nprecommit = evil\n",
    "kept/.hg/hgrc": "# from\n[paths]\ndefault = https://example.com/repo\n",
    "ssh/.hg/hgrc": "[paths]\ndefault = ssh://-oProxyCommand=evil/x\n",
    "share/.hg/sharedpath": "/elsewhere",
    "jj/.jj/repo/config.toml": "[ui]\npager = 'evil'\n",
  };
  await scanner.before();
  for (const [name, text] of Object.entries(made)) {
    mkdirSync(join(root, dirname(name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  await scanner.after();
  expect(Object.keys(made).filter((name) => existsSync(join(root, name)))).toEqual(["kept/.hg/hgrc"]);
});

test("moves aside an existing, unprotected file that a command changed", async () => {
  const root = tempFolder("project");
  mkdirSync(join(root, "deep/.vscode"), { recursive: true });
  for (const name of ["tasks.json", "settings.json"]) writeFileSync(join(root, "deep/.vscode", name), "{}");
  await sleep(A_WHILE);
  const scanner = openScanner(root);
  const before = scanner.before();
  // The look before the command has not begun.
  writeFileSync(join(root, "deep/.vscode/tasks.json"), "evil");
  await before;
  await scanner.after();
  expect(readdirSync(join(root, "deep/.vscode"))).toEqual(["settings.json"]);
});

test("moves aside links to folders that are not scanned", async () => {
  const root = tempFolder("project");
  const folder = tempFolder("left-behind");
  const scanner = openScanner(root, { folder });
  await scanner.before();
  onHost(
    root,
    `ln -s ${folder}/caches/later sub; ln -s ${root} own; mkdir f; ln -s ../own/sub f/sub; ln -s ${folder} g`,
  );
  const { quarantined } = await scanner.after();
  expect(quarantined.map(({ path }) => path).toSorted()).toEqual([join(root, "g"), join(root, "sub")]);
});

test("reports a repository that could not be cleaned, and scans it again without a change", async () => {
  const [root, folder] = [tempFolder("project"), tempFolder("left-behind")];
  const config = join(root, "new/.git/config");
  writeFileSync(join(folder, "held-back"), "");
  const scanner = openScanner(root, { folder });
  await scanner.before();
  git(root, "init", "-q", "new");
  git(join(root, "new"), "config", "core.fsmonitor", "evil");
  const { quarantined: none, notices } = await scanner.after();
  expect(none.map(({ path }) => path)).not.toContain(config);
  expect(notices.join("\n")).toContain(
    `Not held back, although other programs would run it: ${config} could not be moved aside`,
  );
  rmSync(join(folder, "held-back"));
  await scanner.before();
  const { quarantined } = await scanner.after();
  expect(quarantined.find(({ path }) => path === config)?.why).toMatch(/core\.fsmonitor; the others remain$/);
  expect(readFileSync(config, "utf8")).toMatch(/repositoryformatversion/);
  expect(readFileSync(config, "utf8")).not.toContain("fsmonitor");
});
