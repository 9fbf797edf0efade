import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The repository's root folder. */
export const root = join(import.meta.dirname, "../..");

/**
 * The packages that are published, dependencies first.
 * @returns {{ name: string, folder: string, manifest: Record<string, any> }[]} `folder` is relative to the root.
 */
export function publicPackages() {
  const found = new Map();
  for (const entry of readdirSync(join(root, "packages")).toSorted()) {
    const folder = `packages/${entry}`;
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    if (manifest.private !== true) found.set(manifest.name, { name: manifest.name, folder, manifest });
  }
  const ordered = new Set();
  const visit = (name) => {
    const pkg = found.get(name);
    if (pkg === undefined || ordered.has(pkg)) return;
    Object.keys(pkg.manifest.dependencies ?? {}).forEach(visit);
    ordered.add(pkg);
  };
  [...found.keys()].forEach(visit);
  return [...ordered];
}

/** What a consumer writes to import each entry point: `name`, `name/subpath` … without `package.json`. */
export function entryPoints({ name, manifest }) {
  return Object.keys(manifest.exports)
    .filter((subpath) => subpath !== "./package.json")
    .map((subpath) => name + subpath.slice(1));
}

/**
 * Runs a command and answers its standard output; rejects with everything it printed when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, input?: string }} [options]
 * @returns {Promise<string>}
 */
export function run(command, args, { cwd = root, env = process.env, input = "" } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: "pipe" });
    const output = { stdout: "", all: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      output.stdout += chunk;
      output.all += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => (output.all += chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) return resolve(output.stdout);
      const end = signal === null ? `exit code ${code}` : signal;
      reject(new Error(`${[command, ...args].join(" ")} ended with ${end}\n${output.all.trimEnd()}`));
    });
    child.stdin.on("error", () => {}).end(input);
  });
}

/** Runs a development tool of the workspace. */
export function tool(name, ...args) {
  return run(join(root, "node_modules/.bin", name), args);
}

/** Runs a command of the workspace's pinned pnpm, whether or not one is on the PATH. */
export function pnpm(...args) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return run("npx", ["--yes", packageManager, ...args]);
}

/** The environment of a user's shell: without what npm and pnpm add for the scripts they run. */
export function outsideEnvironment() {
  const kept = /^npm_config_(cache|cafile|offline|registry|userconfig)$/;
  const path = process.env.PATH.split(":").filter((folder) => !folder.includes("node_modules"));
  const added = /^(npm_|pnpm_|NODE_PATH$|INIT_CWD$)/i;
  const entries = Object.entries(process.env).filter(([name]) => kept.test(name) || !added.test(name));
  return { ...Object.fromEntries(entries), PATH: path.join(":") };
}
