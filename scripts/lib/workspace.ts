import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endTree } from "./end-tree.ts";

export const root: string = join(import.meta.dirname, "../..");

/** Used parts of a package.json. */
interface Manifest {
  name: string;
  private?: boolean;
  exports: Record<string, string | { "@haft/source"?: string; types: string }>;
  files: string[];
  scripts: Record<string, string>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  agents?: { skills: readonly { name: string; path: string }[] };
  publishConfig?: { bin?: Record<string, string> };
}

export interface Package {
  name: string;
  folder: string;
  manifest: Manifest;
}

/** Published packages, dependencies first. */
export function publicPackages(): Package[] {
  const found = new Map<string, Package>();
  for (const entry of readdirSync(join(root, "packages")).toSorted()) {
    const folder = `packages/${entry}`;
    const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
    if (manifest.private !== true) found.set(manifest.name, { name: manifest.name, folder, manifest });
  }
  const ordered = new Set<Package>();
  const visit = (name: string) => {
    const pkg = found.get(name);
    if (pkg === undefined || ordered.has(pkg)) return;
    Object.keys(pkg.manifest.dependencies ?? {}).forEach(visit);
    ordered.add(pkg);
  };
  [...found.keys()].forEach(visit);
  return [...ordered];
}

export interface EntryPoint {
  /** An import: `name` or `name/subpath`. */
  specifier: string;
  /** Built declarations, relative to the package. */
  types: string;
}

export function entryPoints({ name, manifest }: Package): EntryPoint[] {
  return Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [{ specifier: name + subpath.slice(1), types: target.types }],
  );
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
  limitMs?: number;
}

/** A hanging command must not hang the run. */
const LIMIT_MS = 5 * 60_000;

/**
 * Returns a command's standard output; rejects with its output after a failure. After five minutes it kills
 * the command and its children.
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { cwd = root, env = process.env, input = "", limitMs = LIMIT_MS } = options;
    // The group ends with all its processes.
    const child = spawn(command, args, { cwd, env, stdio: "pipe", detached: true });
    const timer = setTimeout(() => void endTree(child), limitMs);
    const output = { stdout: "", all: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output.stdout += chunk;
      output.all += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.all += chunk));
    // It may end before it reads.
    child.stdin.on("error", () => {}).end(input);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(output.stdout);
      const end = signal ?? `exit code ${code}`;
      const printed = output.all.trimEnd().slice(-MAX_OUTPUT_LENGTH);
      reject(new Error(`${[command, ...args].join(" ")} ended with ${end}\n${printed}`));
    });
  });
}

/** Characters at the end of failed output. */
const MAX_OUTPUT_LENGTH = 10_000;

export function tool(name: string, ...args: string[]): Promise<string> {
  return run(join(root, "node_modules/.bin", name), args);
}

/** Runs the pinned pnpm, without need for the PATH, for at most half an hour. */
export function pnpm(...args: string[]): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { packageManager: string };
  return run("npx", ["--yes", manifest.packageManager, ...args], { limitMs: 6 * LIMIT_MS });
}

/** A user's environment, without npm's and pnpm's script variables. */
export function createCleanEnvironment(): NodeJS.ProcessEnv {
  const kept = /^npm_config_(cache|cafile|offline|registry|userconfig)$/;
  const added = /^(npm_|pnpm_|NODE_PATH$|INIT_CWD$)/i;
  const entries = Object.entries(process.env).filter(([name]) => kept.test(name) || !added.test(name));
  const path = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(entries), PATH: path.join(":") };
}
