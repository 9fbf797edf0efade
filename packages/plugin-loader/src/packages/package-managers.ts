import { getErrorMessage } from "@haft/core";
import { findHostProgram, type HostProgram, safePath } from "@haft/system";
import { lstatSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import { readPackageJson } from "./read-dependency.ts";

export const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;
export type ManagerName = (typeof MANAGERS)[number];

export interface PackageManager {
  name: ManagerName;
  program: HostProgram;
  reason: string;
  /** The folder itself, or a parent in its repository. */
  lockFolder: string;
}

const LOCKFILES: Readonly<Record<string, ManagerName>> = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
};

/**
 * Reads `package.json`, else the lockfile, else the running package manager, else the first installed.
 *
 * @param upwards folders above count, up to the root of the repository
 * @throws HaftError `PACKAGE_INSTALL_FAILED`
 */
export function findManager(folder: string, upwards: boolean): PackageManager {
  for (const at of upwards ? listAncestorFolders(folder) : [folder]) {
    const preferred = findNamedIn(at);
    if (preferred !== undefined)
      return { ...preferred, program: programOf(preferred.name, preferred.reason), lockFolder: at };
  }
  const runs = MANAGERS.find((name) => process.env["npm_config_user_agent"]?.startsWith(`${name}/`));
  for (const name of runs === undefined ? MANAGERS : [runs, ...MANAGERS]) {
    const program = findProgram(name);
    const because = name === runs ? "it runs this command" : "it is here";
    if (program !== undefined) return { name, program, reason: because, lockFolder: folder };
  }
  throw pluginLoaderError(
    "PACKAGE_INSTALL_FAILED",
    `No package manager (${MANAGERS.join(", ")}) is on the PATH.`,
    {
      fix: "Install npm, pnpm, yarn or bun, and have it on the PATH, in a folder that only you and root may write to.",
    },
  );
}

function findNamedIn(folder: string): Pick<PackageManager, "name" | "reason"> | undefined {
  // The package manager reports a broken file.
  const [field] = String(readPackageJson(folder)?.["packageManager"]).split("@");
  const named = MANAGERS.find((name) => field === name);
  if (named !== undefined) return { name: named, reason: `${join(folder, "package.json")} names it` };
  const file = Object.keys(LOCKFILES).find((name) => fileExists(join(folder, name)));
  return file === undefined ? undefined : { name: LOCKFILES[file]!, reason: `${join(folder, file)} is its` };
}

function programOf(name: ManagerName, because: string): HostProgram {
  const program = findProgram(name);
  if (program !== undefined) return program;
  throw pluginLoaderError("PACKAGE_INSTALL_FAILED", `${name} is not here, and is wanted, since ${because}.`, {
    fix: `Install ${name}, or have its folder on the PATH; another package manager would make a lockfile of its own.`,
  });
}

/** Ignores folders that other users can write to, and folders of a project. The program may be inside a package. */
function findProgram(name: ManagerName): HostProgram | undefined {
  for (const folder of safePath().split(delimiter)) {
    const path = join(folder, name);
    if (!fileExists(path)) continue;
    const { program } = findHostProgram(name, { path, option: "PATH" });
    if (program !== undefined) return program;
  }
  return undefined;
}

/**
 * Returns a folder and those above it, up to the root of its git repository. Without a repository it returns only the folder.
 *
 * @param folder Absolute path.
 * @example
 * ```ts run
 * import { listAncestorFolders } from "@haft/plugin-loader/internal/plugins";
 * listAncestorFolders("/no/repository/here"); // => ["/no/repository/here"]
 * ```
 */
export function listAncestorFolders(folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    folders.push(at);
    if (fileExists(join(at, ".git"))) return folders;
    if (dirname(at) === at) return [folder];
  }
}

export function fileExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    throw pluginLoaderError("FILE_UNWRITABLE", `${path} cannot be read: ${getErrorMessage(thrown)}.`, {
      cause: thrown,
    });
  }
}
