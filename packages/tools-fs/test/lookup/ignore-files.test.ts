import { fc, test } from "@fast-check/vitest";
import { createHostWorkspace } from "@haft/workspace";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { LookupTime } from "../../src/lookup/lookup-time.ts";
import { walkFolders, WalkReport } from "../../src/lookup/walk.ts";
import { locateRipgrep } from "../support/locate-ripgrep.ts";

/** A repository with the workspace in a folder of it, and a home folder beside it. */
const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-ignore-")));
const repository = join(base, "repository");
const home = join(base, "home");
const root = join(repository, "packages/app");
const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
beforeAll(() => void execFileSync("git", ["init", "-q", repository], { env: { ...env, HOME: base } }));
afterAll(() => rmSync(base, { recursive: true }));

/** The files of one case, below {@link base}. A name that is a file already is no folder, and the other way round. */
function lay(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    try {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), text);
    } catch {
      // A file where another path wants a folder: one of them wins.
    }
  }
}

beforeEach(() => {
  for (const folder of [join(repository, "packages"), home]) rmSync(folder, { recursive: true, force: true });
  for (const name of [".gitignore", ".ignore", ".rgignore"]) rmSync(join(repository, name), { force: true });
  mkdirSync(root, { recursive: true });
  mkdirSync(home);
  lay({ "repository/.git/info/exclude": "" });
});

async function shown(
  start = ".",
  options: { root?: string; includeIgnored?: boolean } = {},
): Promise<string[]> {
  const { root: at = root, includeIgnored = false } = options;
  const workspace = createHostWorkspace({ root: at, homeDir: home });
  const seen: string[] = [];
  const time = new LookupTime(new AbortController().signal);
  for await (const entry of walkFolders(workspace, start, { time, includeIgnored }, new WalkReport()))
    if (entry.type === "file" && !/(?:^|\/)\.(?:git|rg)?ignore$/.test(entry.path)) seen.push(entry.path);
  return seen.toSorted();
}

const app = (files: Readonly<Record<string, string>>): void =>
  lay(
    Object.fromEntries(
      Object.entries(files).map(([path, text]) => [`repository/packages/app/${path}`, text]),
    ),
  );

describe("ignore files outside of the workspace", () => {
  beforeEach(() => app({ "a.log": "", "b.txt": "", "dist/c.js": "", "src/dist/d.js": "" }));

  it("apply up to the repository's root", async () => {
    lay({ "repository/.gitignore": "dist/\n", "repository/packages/.ignore": "/app/b.txt\n" });
    lay({ ".gitignore": "*.log\n" });
    expect(await shown()).toEqual(["a.log"]);
    expect(await shown("src")).toEqual([]);
    expect(await shown(join(root, "src"))).toEqual([]);
    expect(await shown(".", { includeIgnored: true })).toHaveLength(4);
    rmSync(join(base, ".gitignore"));
  });

  it("do not hide a workspace that they ignore", async () => {
    lay({ "repository/.gitignore": "packages/app/\n*.log\n" });
    expect(await shown()).toHaveLength(4);
  });

  it("include the repository's excludes", async () => {
    lay({ "repository/.git/info/exclude": "/packages/app/dist\n*.log\n" });
    expect(await shown()).toEqual(["b.txt", "src/dist/d.js"]);
    expect(await shown("packages/app", { root: repository })).toEqual(["b.txt", "src/dist/d.js"]);
  });

  it("include the user's excludes at the configured and the default path", async () => {
    lay({ "home/.config/git/ignore": "*.log\n" });
    expect(await shown()).toEqual(["b.txt", "dist/c.js", "src/dist/d.js"]);
    // Git is asked once for each home folder.
    const other = join(base, "other-home");
    lay({ "other-home/.gitconfig": "[core]\nexcludesFile = ~/mine\n", "other-home/mine": "*.txt\n" });
    const workspace = createHostWorkspace({ root, homeDir: other });
    expect(await workspace.fs.outerIgnores?.(".")).toEqual({
      above: [],
      repository: { below: "packages/app", exclude: "" },
      user: "*.txt\n",
    });
  });

  it("exclude files of an outer repository, but include the user's", async () => {
    lay({ "repository/.gitignore": "*.txt\n", "repository/.git/info/exclude": "dist\n" });
    lay({ "home/.config/git/ignore": "*.log\n" });
    app({ "nested/.git/HEAD": "", "nested/a.log": "", "nested/b.txt": "", "nested/dist/c.js": "" });
    app({ "nested/.git/info/exclude": "own\n", "nested/own": "" });
    expect(await shown()).toEqual(["nested/b.txt", "nested/dist/c.js"]);
  });

  it("include files of the repository of a work tree or submodule, as in git", async () => {
    const git = (...args: string[]) =>
      execFileSync(
        "git",
        ["-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@example.com", ...args],
        {
          cwd: root,
          env,
          encoding: "utf8",
        },
      );
    app({ "main/a.txt": "" });
    git("init", "-q", "main");
    git("-C", "main", "add", ".");
    git("-C", "main", "commit", "-qm", "first");
    git("-C", "main", "worktree", "add", "-q", "../tree");
    git("init", "-q", "above");
    git("-C", "above", "submodule", "--quiet", "add", "../main", "module");
    app({ "main/.git/info/exclude": "dist\n", "above/.git/modules/module/info/exclude": "*.log\n" });
    for (const folder of ["main", "tree", "above/module"]) {
      app({ [`${folder}/dist/b`]: "", [`${folder}/c.log`]: "" });
      const untracked = git("-C", folder, "ls-files", "--others", "--exclude-standard").trim().split("\n");
      const found = await shown(folder);
      expect(found.filter((path) => !["a.txt", ".git"].includes(path))).toEqual(untracked);
    }
    // The same where the folder is the root itself.
    expect(await shown(".", { root: join(root, "above") })).toEqual([
      ".gitmodules",
      "module/a.txt",
      "module/dist/b",
    ]);
    // What lies outside says nothing.
    app({ "elsewhere/.git": `gitdir: ${join(base, "git")}\n`, "elsewhere/dist/b": "" });
    lay({ "git/info/exclude": "dist\n" });
    expect(await shown("elsewhere")).toEqual(["dist/b"]);
  });

  it("are read for a work tree elsewhere, and never through a link", async () => {
    app({ ".git": `gitdir: ${join(base, "git/worktrees/app")}\n` });
    lay({ "git/worktrees/app/commondir": "../..\n", "git/info/exclude": "dist\n", secret: "*.txt\n" });
    expect(await shown()).toEqual([".git", "a.log", "b.txt"].slice(1));
    rmSync(join(root, ".git"));
    symlinkSync(join(base, "secret"), join(repository, ".gitignore"));
    expect(await shown()).toHaveLength(4);
  });
});

const name = fc.constantFrom("a", "b", "ab", "a.txt", "b.log", ".hidden", "build");
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const ruleOf = (...pieces: string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
    )
    .map(
      ([negated, rooted, parts, folders]) =>
        `${negated ? "!" : ""}${rooted ? "/" : ""}${parts.join("/")}${folders ? "/" : ""}`,
    );
const rulesOf = (rule: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(rule, { maxLength: 4 }).map((lines) => lines.join("\n"));
const inner = rulesOf(ruleOf("a", "b", "*", "**", "?", "*.txt", "a*", "[ab]", "[!a]", "build", ".*", "*b*"));
/** Rules that do not ignore the workspace itself. */
const outer = rulesOf(
  fc.oneof(
    ruleOf("a", "b", "*.txt", "[ab]", "build"),
    ruleOf("a").map((one) => `/packages/app/${one}`),
  ),
);
const kind = fc.constantFrom(".gitignore", ".gitignore", ".ignore", ".rgignore");

interface Case {
  files: string[];
  ignoreFiles: Record<string, string>;
}
const gitCase: fc.Arbitrary<Case> = cases(fc.constant(".gitignore"));
const anyCase: fc.Arbitrary<Case> = cases(kind);

function cases(kinds: fc.Arbitrary<string>): fc.Arbitrary<Case> {
  const inside = fc
    .tuple(fc.constantFrom("", "a/", "b/", "a/b/"), kinds, inner)
    .map(([folder, one, text]) => [`repository/packages/app/${folder}${one}`, text] as const);
  const outside = fc
    .tuple(fc.constantFrom("", "packages/"), kinds, outer)
    .map(([folder, one, text]) => [`repository/${folder}${one}`, text] as const);
  const others = fc
    .tuple(fc.constantFrom("repository/.git/info/exclude", "home/.config/git/ignore"), outer)
    .map((one) => one as readonly [string, string]);
  return fc.record({
    files: fc.uniqueArray(file, { minLength: 1, maxLength: 12 }),
    ignoreFiles: fc
      .array(fc.oneof(inside, inside, outside, others), { maxLength: 5 })
      .map((all) => Object.fromEntries(all)),
  });
}

function layCase({ files, ignoreFiles }: Case): void {
  for (const folder of [join(repository, "packages"), home]) rmSync(folder, { recursive: true, force: true });
  for (const one of [".gitignore", ".ignore", ".rgignore"]) rmSync(join(repository, one), { force: true });
  mkdirSync(root, { recursive: true });
  mkdirSync(home, { recursive: true });
  lay({ "repository/.git/info/exclude": "" });
  app(Object.fromEntries(files.map((path) => [path, ""])));
  lay(ignoreFiles);
}

const named = (output: string): string[] =>
  output
    .split("\0")
    .filter((path) => path !== "" && !/^\.git\/|(?:^|\/)\.(?:git|rg)?ignore$/.test(path))
    .map((path) => path.replace(/^packages\/app\//, ""))
    .toSorted();

test.prop([gitCase], { numRuns: scaleRuns(400, 20) })("shows the same files as git", async (one) => {
  layCase(one);
  const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  expect(await shown()).toEqual(named(listed));
});

const ripgrep = locateRipgrep();

describe.skipIf(ripgrep === undefined)("with ripgrep", () => {
  test.prop([anyCase], { numRuns: scaleRuns(400, 20) })("shows the same files as ripgrep", async (one) => {
    layCase(one);
    // From the repository's folder: there the user's excludes begin, as they do for git.
    const args = ["--no-config", "--files", "--hidden", "--null", "--no-messages"];
    const { stdout } = spawnSync(ripgrep!, args, { cwd: repository, env, encoding: "utf8" });
    expect(await shown()).toEqual(named(stdout));
  });
});
