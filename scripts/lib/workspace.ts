import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endTree } from "./end-tree.ts";

/** The repository's root folder. */
export const root: string = join(import.meta.dirname, "../..");

/** The parts of a package.json that the scripts read. */
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
  /** Relative to the root. */
  folder: string;
  manifest: Manifest;
}

/** The packages that are published, dependencies first. */
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
  /** Names the specifier of an import: `name` or `name/subpath`. */
  specifier: string;
  /** The built declarations, relative to the package. */
  types: string;
}

/** The entry points of a package that hold code. */
export function entryPoints({ name, manifest }: Package): EntryPoint[] {
  return Object.entries(manifest.exports).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [{ specifier: name + subpath.slice(1), types: target.types }],
  );
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Standard input. */
  input?: string;
  limitMs?: number;
}

/** More than anything here takes; a command that hangs must not hang the whole run. */
const LIMIT_MS = 5 * 60_000;

/**
 * Runs a command and returns its standard output; rejects with its output if it fails. After five minutes it kills the command and its
 * child processes.
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { cwd = root, env = process.env, input = "", limitMs = LIMIT_MS } = options;
    // A group of its own, so that nothing it started is left.
    const child = spawn(command, args, { cwd, env, stdio: "pipe", detached: true });
    const timer = setTimeout(() => void endTree(child), limitMs);
    const output = { stdout: "", all: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output.stdout += chunk;
      output.all += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.all += chunk));
    // It may end without having read its input.
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

/** Characters of a failed command's output that are shown, from the end. */
const MAX_OUTPUT_LENGTH = 10_000;

/** Runs a development tool of the workspace. */
export function tool(name: string, ...args: string[]): Promise<string> {
  return run(join(root, "node_modules/.bin", name), args);
}

/** Runs a command of the workspace's pinned pnpm, whether or not one is on the PATH, for at most half an hour. */
export function pnpm(...args: string[]): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { packageManager: string };
  return run("npx", ["--yes", manifest.packageManager, ...args], { limitMs: 6 * LIMIT_MS });
}

/** The environment of a user's shell: without what npm and pnpm add for the scripts they run. */
export function createCleanEnvironment(): NodeJS.ProcessEnv {
  const kept = /^npm_config_(cache|cafile|offline|registry|userconfig)$/;
  const added = /^(npm_|pnpm_|NODE_PATH$|INIT_CWD$)/i;
  const entries = Object.entries(process.env).filter(([name]) => kept.test(name) || !added.test(name));
  const path = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(entries), PATH: path.join(":") };
}
