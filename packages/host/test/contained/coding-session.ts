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
