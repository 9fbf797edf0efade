import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A small project with a library of its own, tests, a server and a bare repository it came from. */
export interface Project {
  /** The working copy: where sessions work. */
  root: string;
  /** The bare repository it was cloned from. */
  upstream: string;
}

/** What the user has in the configuration of git, without that of the machine. */
const USER = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];

/** git as the user runs it beside the session. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...USER, ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Makes the project in an empty folder. */
export function makeProject(folder: string): Project {
  const root = join(folder, "project");
  const upstream = join(folder, "upstream.git");
  const seed = join(folder, "seed");
  const library = join(folder, "library");
  const files: Record<string, string> = {
    "package.json": JSON.stringify({
      name: "shop",
      version: "1.0.0",
      type: "module",
      scripts: { test: "node --test", build: "node build.mjs", start: "node server.mjs" },
      dependencies: { tally: "file:vendor/tally" },
    }),
    "vendor/tally/package.json": JSON.stringify({
      name: "tally",
      version: "1.0.0",
      type: "module",
      main: "index.js",
    }),
    "vendor/tally/index.js": "export const total = (all) => all.reduce((sum, one) => sum + one, 0);\n",
    "src/price.mjs": "export const price = (net) => Math.round(net * 119) / 100;\n",
    "test/price.test.mjs":
      'import assert from "node:assert";\nimport test from "node:test";\nimport { price } from "../src/price.mjs";\ntest("price", () => assert.equal(price(1), 1.19));\n',
    "build.mjs":
      'import { mkdirSync, readFileSync, writeFileSync } from "node:fs";\nmkdirSync("dist", { recursive: true });\nwriteFileSync("dist/price.mjs", readFileSync("src/price.mjs"));\nconsole.log("built");\n',
    "server.mjs":
      'import { createServer } from "node:http";\nimport { price } from "./src/price.mjs";\ncreateServer((_, answer) => answer.end(String(price(10)))).listen(Number(process.env.PORT ?? 4310), "127.0.0.1", () => console.log("up"));\n',
    ".gitignore": "node_modules\ndist\n",
    Makefile: "all:\n\tnode build.mjs\n",
    "README.md": "# Shop\n",
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(seed, name, ".."), { recursive: true });
    writeFileSync(join(seed, name), content);
  }
  git(seed, "init", "-q", "-b", "main");
  git(seed, "add", "-A");
  git(seed, "commit", "-qm", "feat: a shop");
  git(seed, "checkout", "-qb", "taxes");
  writeFileSync(join(seed, "src/taxes.mjs"), "export const taxes = 0.19;\n");
  git(seed, "add", "-A");
  git(seed, "commit", "-qm", "feat: taxes");
  git(seed, "checkout", "-q", "main");
  mkdirSync(library);
  writeFileSync(join(library, "round.mjs"), "export const round = Math.round;\n");
  git(library, "init", "-q", "-b", "main");
  git(library, "add", "-A");
  git(library, "commit", "-qm", "feat: round");
  git(folder, "clone", "-q", "--bare", seed, upstream);
  git(folder, "clone", "-q", upstream, root);
  git(root, "config", "user.name", "Ada");
  git(root, "config", "user.email", "ada@example.com");
  // A copy in reach of the session, to be taken as a submodule.
  cpSync(library, join(upstream, "library"), { recursive: true });
  return { root, upstream };
}

/** What an agent does in an hour, by kind. Each is one call of `exec`. */
export const CODING_SESSION: readonly { does: string; command: string; background?: true; code?: number }[] =
  [
    { does: "look around", command: "ls -la && cat package.json" },
    { does: "look around", command: "git status -sb && git log --oneline | head -5" },
    { does: "look around", command: "git branch -a" },
    { does: "search", command: "grep -rn 'price' --include='*.mjs' . | head" },
    { does: "search", command: "find . -name '*.test.mjs' -not -path './node_modules/*' | xargs wc -l" },
    { does: "search", command: "git grep -n price -- src" },
    { does: "install", command: "npm install --no-audit --no-fund" },
    { does: "install", command: "npm ls --depth=0" },
    { does: "test", command: "npm test" },
    { does: "test", command: "npm test 2>&1 | tail -n 20" },
    { does: "build", command: "npm run build && ls dist" },
    { does: "build", command: "make" },
    { does: "branch", command: "git checkout -b discount" },
    { does: "edit", command: "printf 'export const discount = (sum) => sum * 0.9;\\n' > src/discount.mjs" },
    {
      does: "edit",
      command:
        "cat > test/discount.test.mjs <<'EOF'\nimport assert from 'node:assert';\nimport test from 'node:test';\nimport { discount } from '../src/discount.mjs';\ntest('discount', () => assert.equal(discount(10), 9));\nEOF",
    },
    { does: "test", command: "node --test test/discount.test.mjs" },
    { does: "edit", command: "sed -i 's/Shop/Shop with discounts/' README.md && git diff --stat" },
    { does: "commit", command: "git add -A && git status --short" },
    { does: "commit", command: "git commit -m 'feat: discounts'" },
    { does: "commit", command: "git commit --amend --no-edit" },
    { does: "push", command: "git push -u origin discount" },
    { does: "branch", command: "git checkout taxes && git branch -vv" },
    { does: "branch", command: "git checkout main && git merge --no-edit taxes" },
    { does: "branch", command: "git branch -d taxes" },
    { does: "branch", command: "git branch -m discount discounts && git branch --list" },
    { does: "branch", command: "git switch discounts && git rebase main" },
    { does: "stash", command: "echo later >> README.md && git stash && git stash list" },
    { does: "stash", command: "git stash pop && git checkout -- README.md" },
    { does: "remote", command: "git remote -v && git remote show -n origin" },
    { does: "remote", command: 'git remote add mirror "$(git remote get-url origin)" && git fetch mirror' },
    { does: "remote", command: "git remote rename mirror backup && git remote remove backup" },
    { does: "remote", command: "git fetch --all --prune && git pull --rebase origin main" },
    { does: "worktree", command: "mkdir -p .worktrees && git worktree add .worktrees/fix -b fix main" },
    {
      does: "worktree",
      command:
        "cd .worktrees/fix && echo fixed > FIX.md && git add FIX.md && git commit -qm 'docs: fix' && git log -1 --oneline",
    },
    { does: "worktree", command: "git worktree list" },
    {
      does: "worktree",
      command: "git merge --no-edit fix && git worktree remove .worktrees/fix && git branch -d fix",
    },
    {
      does: "submodule",
      command:
        'git -c protocol.file.allow=always submodule add -q "$(git remote get-url origin)/library" lib',
    },
    { does: "submodule", command: "git submodule status && git commit -qm 'feat: the library' && ls lib" },
    { does: "submodule", command: "git -c protocol.file.allow=always submodule update --init --recursive" },
    { does: "history", command: "git log --graph --oneline --all | head -20" },
    { does: "history", command: "git blame README.md | head -3; git show --stat HEAD" },
    { does: "history", command: "git tag v1.1.0 && git describe --tags" },
    { does: "history", command: "git bisect start && git bisect reset" },
    { does: "server", command: "PORT=4310 node server.mjs", background: true },
    {
      does: "server",
      command:
        "for i in 1 2 3 4 5 6 7 8 9 10; do node -e 'fetch(\"http://127.0.0.1:4310\").then(r=>r.text()).then(console.log,()=>process.exit(1))' && break; sleep 0.5; done",
    },
    {
      does: "server",
      command:
        "curl -s --max-time 5 http://127.0.0.1:4310 || node -e 'fetch(\"http://127.0.0.1:4310\").then(r=>r.text()).then(console.log)'",
    },
    { does: "scripts", command: "node -e 'console.log(process.version, process.cwd())'" },
    { does: "scripts", command: 'for f in src/*.mjs; do node --check "$f" && echo "$f ok"; done' },
    { does: "scripts", command: 'tmp=$(mktemp) && echo notes > "$tmp" && cat "$tmp" && rm "$tmp"' },
    { does: "scripts", command: "echo shared > /tmp/notes.txt" },
    { does: "scripts", command: "cat /tmp/notes.txt" },
    {
      does: "scripts",
      command:
        "set -o pipefail; cat package.json | node -e 'JSON.parse(require(\"fs\").readFileSync(0))' && echo valid",
    },
    { does: "scripts", command: "diff <(git show main:README.md) README.md || true" },
    { does: "scripts", command: "mkdir -p docs/{guides,reference} && touch docs/guides/a.md && rm -r docs" },
    { does: "pack", command: "npm pack --dry-run 2>&1 | tail -5" },
    { does: "pack", command: "tar -czf dist/src.tgz src && tar -tzf dist/src.tgz | head -3" },
    { does: "clean up", command: "git gc -q && git fsck" },
    { does: "clean up", command: "git clean -nxd && rm -rf dist" },
    { does: "clean up", command: "git push origin discounts && git push origin --delete discount" },
    { does: "clean up", command: "git status -sb && npm test" },
  ];
