import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type Manager, FolderTakenError, type PackagePlan } from "./plan.ts";
import { runChildProgram } from "./run-program.ts";
import { templateFiles } from "./template/files.ts";

export interface CreateOptions {
  /** A missing or empty folder. */
  folder: string;
  manager: Manager;
  install: boolean;
  git: boolean;
  /** Version of Haft's packages. */
  version: string;
  /** Package → source to install instead. */
  packages?: Readonly<Record<string, string>> | undefined;
  /** An abort removes everything. */
  signal: AbortSignal;
  report: (line: string) => void;
}

export interface CreatedPlugin {
  /** Absolute. */
  folder: string;
  files: readonly string[];
  /** Failures that can be repaired by hand. */
  warnings: readonly string[];
}

/**
 * Creates the package of a plugin completely or not at all: writes a temporary folder, then moves it.
 *
 * @throws FolderTakenError for an unusable folder; the reason of the signal
 */
export async function createPlugin(plan: PackagePlan, options: CreateOptions): Promise<CreatedPlugin> {
  const { manager, signal, report } = options;
  const folder = resolve(options.folder);
  const wasThere = requireRoom(folder);
  const files = templateFiles(plan, options);
  write(folder, files, wasThere);
  const undo = () => {
    if (!wasThere) rmSync(folder, { recursive: true, force: true });
    else
      for (const name of readdirSync(folder))
        if (name !== ".git") rmSync(join(folder, name), { recursive: true, force: true });
  };
  const warnings: string[] = [];
  /** The package is complete without it; only an abort ends everything. */
  const succeeds = async (words: readonly string[], ifNot: (why: string) => string, quiet = true) => {
    try {
      await runChildProgram(words, { cwd: folder, signal, quiet });
      return true;
    } catch (thrown) {
      signal.throwIfAborted();
      warnings.push(ifNot((thrown as Error).message));
      return false;
    }
  };
  try {
    signal.throwIfAborted();
    const init = ["git", "init", "--quiet", "--initial-branch=main"];
    if (options.git && !isInRepository(folder))
      await succeeds(init, (why) => `The git repository was not created: ${why}`, false);
    if (options.install) {
      report(`Installing with ${manager} …`);
      const how = manager === "npm" ? ["--no-audit", "--no-fund", "--loglevel=error"] : [];
      const installed = await succeeds(
        [manager, "install", ...how],
        (why) => `The packages were not installed: ${why} Run ${manager} install in the new folder.`,
      );
      if (installed)
        await succeeds(
          [manager, "run", "manifest"],
          (why) => `haft.plugin.json was not created: ${why} Run ${manager} run manifest in the new folder.`,
        );
    }
  } catch (thrown) {
    undo();
    throw thrown;
  }
  return { folder, files: Object.keys(files), warnings };
}

/** @returns whether it exists and is empty */
function requireRoom(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory())
    throw new FolderTakenError(`${folder} is a file. Name another folder with --dir.`);
  const inside = readdirSync(folder).filter((name) => name !== ".git");
  if (inside.length === 0) return true;
  const some = inside.slice(0, 3).join(", ");
  throw new FolderTakenError(
    `${folder} is not empty: it contains ${some}${inside.length > 3 ? ` and ${inside.length - 3} more` : ""}. Name another folder with --dir.`,
  );
}

function write(folder: string, files: Readonly<Record<string, string>>, wasThere: boolean): void {
  makeFolder(dirname(folder));
  const beside = join(wasThere ? folder : dirname(folder), `.${basename(folder)}-${randomUUID()}`);
  mkdirSync(beside);
  try {
    for (const [path, text] of Object.entries(files)) {
      makeFolder(dirname(join(beside, path)));
      writeFileSync(join(beside, path), text, { flag: "wx" });
    }
    if (!wasThere) renameSync(beside, folder);
    else for (const name of readdirSync(beside)) renameSync(join(beside, name), join(folder, name));
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** Also creates missing parents. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (at === dirname(at)) return false;
  }
}

/** Formats a folder relative to the current folder. */
export function formatFolder(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === "" ? "." : path.startsWith("..") ? folder : path;
}
