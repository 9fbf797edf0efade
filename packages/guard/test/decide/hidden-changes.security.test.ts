import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findGuardSettings } from "../../src/install/guard-settings.ts";
import { ask, getOverallEffect, line, write } from "../support.ts";

let root = "";
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "guard-hidden-")));
  for (const name of [".git", ".claude", "sub", "fake", "other", "plain", "command"])
    mkdirSync(join(root, name));
  writeFileSync(join(root, ".claude/settings.local.json"), '{"hooks":"guard-hook.cjs"}');
  writeFileSync(join(root, "fake/package.json"), '{"name":"haft"}');
  writeFileSync(join(root, "command/package.json"), '{"name":"x","bin":{"haft":"x.js"}}');
  symlinkSync(root, join(root, "plain/link"));
  writeFileSync(join(root, "other/package.json"), '{"name":"other"}');
});
afterAll(() => rmSync(root, { recursive: true }));

const effectOf = (text: string, cwd = root, rules = {}) =>
  getOverallEffect("claude", line(text, cwd), rules, { root });

describe("hostile texts", () => {
  it("get a decision for a pattern of many stars, which does not backtrack", async () => {
    const deep = join(root, "a.".repeat(60));
    mkdirSync(join(deep, ".claude"), { recursive: true });
    writeFileSync(join(deep, ".claude/settings.local.json"), '{"hooks":"guard-hook.cjs"}');
    expect(await effectOf(`find ${deep} -path '${"*.".repeat(40)}*x' -delete`)).toBe("allow");
    expect(await effectOf(`find ${deep} -path '${"*.".repeat(40)}*n' -delete`)).toBe("ask");
  });
});

describe("installations that can replace Haft", () => {
  it.each([
    "npm install -g ./fake",
    "npm i -g fake/",
    "npm --location global i ./fake",
    "npm --loglevel view -g install ./fake",
    "npm --registry https://x.example install ./fake -g",
    "npm link ./fake",
    "npm i -g ./command",
    "cd fake && npm link",
    "cd fake && npm i -g",
    "pnpm add -g ./fake",
    "pnpm link --global ./fake",
    "yarn global add file:./fake",
    "bun add -g link:./fake",
    "corepack pnpm add -g ./fake",
    "npm i -g haft@0.0.1",
    "npm i -g typescript haft",
  ])("are denied if the package is Haft: %s", async (text) => {
    expect(await effectOf(text)).toBe("deny");
  });

  it.each([
    "npm i -g ../haft-0.1.0.tgz",
    "npm i -g x.tar.gz",
    "npm i -g ./missing",
    "npm i -g user/repo",
    "npm i -g git+ssh://x.example/y",
    "npm i -g https://x.example/a.tgz",
    "npm i -g typescript@https://x.example/a.tgz",
    "npm update -g",
    "npm link",
    "npm i -g --force typescript",
    "pnpm up --global",
    "yarn global upgrade",
    "cp x other/package.json; npm i -g ./other",
    "sudo npm update -g",
    "sh -c 'npm i -g x.tgz'",
  ])("need approval if the package is not known: %s", async (text) => {
    expect(await effectOf(text)).toBe("ask");
  });

  it.each([
    "npm i -g ./other",
    "npm i -g typescript @scope/x@1.2.3",
    "npm update -g typescript",
    "npm rm -g typescript",
    "npm ls -g",
    "npm link react",
    "npm install",
    "npm install ./x.tgz",
    "npm test -- -g x",
    "npm run update -- --global",
  ])("stay allowed otherwise: %s", async (text) => {
    expect(await effectOf(text)).toBe("allow");
  });

  it("need approval in the folder where Haft is installed", async () => {
    const at = (text: string, programs: string) =>
      getOverallEffect("claude", line(text, root), {}, { root, programs: [programs] });
    const here = join(root, "node_modules/haft");
    for (const text of ["npm install", "npm ci", "pnpm add x", "yarn", "cd sub && npm update", "npm dedupe"])
      expect(await at(text, here)).toBe("ask");
    expect(await at("npm --prefix sub install", "/elsewhere/node_modules/haft")).toBe("allow");
    expect(await at("cd /tmp && npm --prefix /srv/x install", "/srv/x/node_modules/haft")).toBe("ask");
    for (const text of ["npm test", "npm run build", "npm ls"]) expect(await at(text, here)).toBe("allow");
  });
});

describe("removals that do not name the settings of the guard", () => {
  it.each([
    "git clean -fdx",
    "git clean -fd .",
    "cd sub && git clean -fdx ..",
    "git -C sub stash -u",
    "git stash",
    "git stash pop",
    "git stash -m list -u",
    "git clean -fdx -e n",
    "git clean -fdx -en",
    "git clean -n --no-dry-run -f",
    "git restore -sS .",
    "git -C plain/link clean -fdx",
    "find plain/link/ -name '*.json' -delete",
    "find .// -path './/.claude/*' -delete",
    "find . -name zzz; ls -A | xargs rm -rf",
    "ls -A | xargs -I{} mv {} /tmp/x",
    "git checkout .",
    "git checkout HEAD -- .",
    "git checkout HEAD~1 :/",
    "git checkout -f main",
    "git switch --discard-changes main",
    "git restore .",
    "git restore --source=main '*.json'",
    "git reset --hard",
    "git rm -rf .",
    "git mv . /tmp/x",
    "git --work-tree=. clean -f",
    "sudo git clean -fdx",
    "sh -c 'git stash -u'",
    "find . -name settings.local.json -delete",
    "find . -iname '*.JSON' -delete",
    "find . -path '*/.claude/*' -delete",
    "find -delete",
    "find . -name '[s]ettings.?ocal.json' -delete",
    "find . -name 'settings\\.local.json' -delete",
    "find . -name '.c*' -exec rm -rf {} +",
    "find . ! -name '*.o' -delete",
    "find . -name '*.o' -o -type f -delete",
    "find . -delete -name '*.o'",
    "find . -type f -exec sed -i s/a/b/ {} +",
    "find . -type f | xargs rm",
    "ls -A | xargs rm -rf",
    "fd -H . -x rm",
    "rm -rf ../*/",
    "rsync -a --delete /tmp/x/ .",
  ])("need approval: %s", async (text) => {
    const expected = text.startsWith("rm") ? `rm -rf ${root}` : text;
    expect(await effectOf(expected)).toBe("ask");
  });

  it.each([
    "git clean -nfdx",
    "cd sub && git clean -fdx",
    "git stash list",
    "git checkout main",
    "git checkout -b next",
    "git checkout -- sub/x",
    "git restore --staged .",
    "git reset HEAD~1",
    "git rm x",
    "git commit -m 'git clean -fdx'",
    "find . -name '*.pyc' -delete",
    "find . -type d -empty -delete",
    "find . '(' -name '*.o' -o -name '*.a' ')' -delete",
    "find . -name node_modules -prune -o -name '*.o' -exec rm {} +",
    "find . -type f -exec grep x {} +",
    "find . -name '*.ts' | xargs rm",
    "find . -name '*.ts' -exec sed -i s/a/b/ {} +",
    "find sub -delete",
    "rm -rf sub",
    "rsync -a --delete x/ sub/",
  ])("stay allowed elsewhere: %s", async (text) => {
    expect(await effectOf(text)).toBe("allow");
  });

  it("are allowed without settings of the guard", async () => {
    expect(await effectOf("git clean -fdx", join(root, "plain"))).toBe("allow");
    expect(findGuardSettings([join(root, "sub")], { home: "/home/ann", env: {} })).toEqual([
      join(root, ".claude/settings.local.json"),
    ]);
  });
});

describe("agents that a guarded agent starts", () => {
  it.each([
    `claude --settings '{"disableAllHooks":true}' -p x`,
    "claude --setting-sources project -p x",
    "claude --bare -p x",
    "claude mcp --bare -p",
    "claude -p --permission-mode=bypassPermissions x",
    "claude --dangerously-skip-permissions -p x",
    "codex -c features.hooks=false exec x",
    "codex -cfeatures.hooks=false exec x",
    "codex --config=features.hooks=false exec x",
    "codex --disable hooks exec x",
    "codex exec -s danger-full-access x",
    "codex -p open exec x",
    "gemini -y -p x",
    "gemini --approval-mode yolo -p x",
    "copilot --allow-all-tools -p x",
    "cursor-agent -f -p x",
    "opencode --pure run x",
    "pi -ne -p x",
    "openclaw agent --local -m x",
    "CLAUDE_CONFIG_DIR=/tmp/x claude -p x",
    "env CODEX_HOME=/tmp/x codex exec x",
    "export HOME=/tmp; gemini -p x",
    "npx -y @anthropic-ai/claude-code --bare -p x",
  ])("need approval if an option or variable can turn the guard off: %s", async (text) => {
    expect(await effectOf(text)).toBe("ask");
  });

  it.each([
    "claude -c -p x",
    "codex exec -c model=o3 x",
    "gemini -p x",
    "claude mcp list",
    "python3 train.py claude -c x",
  ])("stay allowed without rules: %s", async (text) => {
    expect(await effectOf(text)).toBe("allow");
  });

  it("can run any program, so rules about commands ask", async () => {
    const rules = { deny: ["exec(rm -rf *)"] };
    for (const text of ["claude -p x", "codex exec x", "timeout 9 gemini -p x"])
      expect(await effectOf(text, root, rules)).toBe("ask");
    for (const text of ["claude mcp list", "codex --version", "grep claude x"])
      expect(await effectOf(text, root, rules)).toBe("allow");
  });
});

describe("files of the user that start programs", () => {
  it.each([
    ".gitconfig",
    ".config/git/config",
    ".config/git/hooks/pre-commit",
    ".ssh/config",
    ".vimrc",
    "bin/ls",
  ])("need approval: %s", async (name) => {
    const path = `/home/ann/${name}`;
    expect((await ask("claude", write(path), {})).judgement?.effect).toBe("ask");
    expect(await effectOf(`echo x >> ~/${name}`)).toBe("ask");
    expect(await effectOf(`echo x > ${path}`)).toBe("ask");
    expect(await effectOf(`cat ${path}`)).toBe("allow");
  });

  it.each([
    "notes.txt",
    ".claude/plans/x.md",
    ".codex/AGENTS.md",
    ".config/opencode/AGENTS.md",
    "shop/.vimrc",
  ])("are only those: %s", async (name) => {
    expect(await effectOf(`echo x > ~/${name}`)).toBe("allow");
  });
});
