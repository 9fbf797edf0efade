import { integrityInLockfile } from "@haft/config/internal/trust";
import { getErrorMessage } from "@haft/core";
import { readText, temporaryName } from "@haft/system";
import { makeFolder as makePlainFolder, sha256 } from "@haft/utils";
import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync, readdirSync, rmdirSync } from "node:fs";
import { join, dirname } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import {
  InstallSnapshot,
  makePackageFolder,
  writePackageFile,
  readStoredContent,
} from "./install-snapshot.ts";
import { getManagerCommands, type ManagerCommand } from "./manager-commands.ts";
import { type PackageManager, findManager } from "./package-managers.ts";
import type { PackageSpec } from "./package-spec.ts";
import type { PackageIdentity } from "./read-archive.ts";
import { readInstalledVersion } from "./read-dependency.ts";
import { runManager, readManagerVersion } from "./run-manager.ts";

export type WithProgress = <T>(what: string, work: () => Promise<T>) => Promise<T>;

export interface InstallOptions {
  target: { folder: string; as: string };
  allowScripts: boolean;
  withProgress: WithProgress;
  /** Package managers would consider these changed packages current. */
  stale?: readonly string[];
  signal?: AbortSignal | undefined;
}

export type InstallSpec = Extract<PackageSpec, { from: "registry" | "archive" }>;

export interface InstalledPackage {
  name: string;
  version: string;
  /** `sha512-…`; for yarn its checksum. Absent if the lockfile has none. */
  integrity?: string;
}

/**
 * Returns the package manager of a folder: from its `package.json`, else its lockfile, else the running package manager, else the first
 * installed. Unless `as` is `user`, folders above count up to the root of the repository.
 *
 * @throws HaftError `PACKAGE_INSTALL_FAILED` if there is none
 * @example
 * ```ts
 * import { getPackageManager } from "@haft/plugin-loader/internal/plugins";
 * const { name, reason } = getPackageManager({ folder: "/srv/project", as: "project" });
 * ```
 */
export function getPackageManager({ folder, as }: InstallOptions["target"]): PackageManager {
  return findManager(folder, as !== "user");
}

/**
 * Installs a package for a configuration, and then calls a function. A failure restores `package.json`, lockfile and packages.
 *
 * @returns the result of `then`
 * @throws HaftError `PACKAGE_…`, `HOST_PROGRAM_CHANGED`; or the error of `then`
 * @example
 * ```ts
 * import { installPackage } from "@haft/plugin-loader/internal/plugins";
 * const version = await installPackage(
 *   { from: "registry", name: "haft-plugin-weather", specifier: "1.2.0" },
 *   { target: { folder: "/etc/agent", as: "user" }, allowScripts: false, withProgress: (_what, work) => work() },
 *   async (installed) => installed.version,
 * );
 * ```
 */
export async function installPackage<T>(
  spec: InstallSpec,
  options: InstallOptions,
  then: (installed: InstalledPackage) => Promise<T>,
): Promise<T> {
  const { folder } = options.target;
  const manager = getPackageManager(options.target);
  const hadFolder = existsSync(folder);
  try {
    return await changing(manager, options, async (run, commands) => {
      startManifest(folder);
      const wanted = spec.from === "archive" ? vendorArchive(folder, spec) : registrySpec(spec);
      await run(`install ${spec.name}`, commands.add({ name: spec.name, spec: wanted }));
      return then(foundPackage(spec, folder, manager));
    });
  } finally {
    sweepArchives(folder, spec.name);
    if (!hadFolder) removeIfEmpty(folder);
  }
}

/** Removes a package, or restores everything. @throws HaftError `PACKAGE_…`, `HOST_PROGRAM_CHANGED` */
export async function uninstallPackage(name: string, options: InstallOptions): Promise<void> {
  const manager = getPackageManager(options.target);
  await changing(manager, options, async (run, commands) => run(`remove ${name}`, commands.remove(name)));
  sweepArchives(options.target.folder, name);
}

type Commands = ReturnType<typeof getManagerCommands>;

async function changing<T>(
  manager: PackageManager,
  { target: { folder, as }, allowScripts, withProgress, stale = [], signal }: InstallOptions,
  change: (run: (doing: string, command: ManagerCommand) => Promise<void>, commands: Commands) => Promise<T>,
): Promise<T> {
  makePackageFolder(folder);
  const version = manager.name === "yarn" ? await readManagerVersion(manager, folder) : undefined;
  const commands = getManagerCommands({ ...manager, version }, folder, { allowScripts, own: as === "user" });
  const files = new InstallSnapshot([...new Set([folder, manager.lockFolder])]);
  const run = (doing: string, command: ManagerCommand, until: AbortSignal | undefined) =>
    withProgress(`${manager.name}: ${doing}`, () =>
      runManager(manager, command, { folder, doing, signal: until }),
    );
  // Yarn assumes that the packages in this file are installed.
  const aside = new Aside(stale.length === 0 ? [] : [...stale, join(folder, "node_modules/.yarn-state.yml")]);
  try {
    const answer = await change((doing, command) => run(doing, command, signal), commands);
    aside.forget();
    return answer;
  } catch (thrown) {
    const { changed } = files;
    files.restore();
    aside.putBack();
    if (changed && files.hadPackages) {
      try {
        await run("put back what was installed before", commands.restore(), undefined);
      } catch (other) {
        throw pluginLoaderError(
          "PACKAGE_INSTALL_FAILED",
          `${getErrorMessage(thrown)} The earlier installation could not be restored completely: ${getErrorMessage(other)}`,
          { fix: `Run ${manager.name} install in ${folder}.`, cause: thrown },
        );
      } finally {
        files.restore();
      }
    }
    throw thrown;
  }
}

/** Package managers would use one in a folder above. */
function startManifest(folder: string): void {
  const path = join(folder, "package.json");
  if (existsSync(path)) return;
  const manifest = { private: true, description: "Plugins of Haft: haft plugins list" };
  writePackageFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function registrySpec({ name, specifier }: Extract<InstallSpec, { from: "registry" }>): string {
  return specifier === undefined ? name : `${name}@${specifier}`;
}

function foundPackage(
  spec: InstallSpec,
  folder: string,
  { name: manager, lockFolder }: PackageManager,
): InstalledPackage {
  const { name } = spec;
  const version = readInstalledVersion(folder, name);
  if (version === undefined)
    throw pluginLoaderError(
      "PACKAGE_INSTALL_FAILED",
      `${manager} installed ${name}, and it is not in ${join(folder, "node_modules")}, where Node looks.`,
      {
        fix: "Yarn puts it there with nodeLinker: node-modules in .yarnrc.yml; in workspaces the configuration belongs beside the package.json at their root.",
      },
    );
  const integrity =
    spec.from === "archive"
      ? integrityOf(spec.path)
      : integrityInLockfile(join(lockFolder, "node_modules", name), name, version)?.integrity;
  return { name, version, ...(integrity === undefined ? {} : { integrity }) };
}

/** Moves folders away until a success. */
class Aside {
  readonly #moved: (readonly [from: string, to: string])[];

  constructor(folders: readonly string[]) {
    this.#moved = folders
      .filter((folder) => existsSync(folder))
      .map((from) => {
        // Package managers ignore names that begin with a dot.
        const to = join(dirname(from), temporaryName());
        renameSync(from, to);
        return [from, to];
      });
  }

  putBack(): void {
    for (const [from, to] of this.#moved) {
      rmSync(from, { recursive: true, force: true });
      if (existsSync(to)) renameSync(to, from);
    }
  }

  forget(): void {
    for (const [, to] of this.#moved) rmSync(to, { recursive: true, force: true });
  }
}

const FOLDER = "haft-plugins";

/**
 * Copies a packed package into a folder of archives. The name of the copy contains a hash, so that package managers notice another archive
 * of the same version.
 *
 * @param folder The folder of the configuration.
 * @returns the path of the copy, relative to `folder`, with `./`
 * @throws HaftError `FILE_UNWRITABLE`, or if the archive cannot be read
 * @example
 * ```ts
 * import { vendorArchive } from "@haft/plugin-loader/internal/plugins";
 * const archive = { path: "/tmp/weather-1.2.0.tgz", name: "haft-plugin-weather", version: "1.2.0" };
 * const specifier = vendorArchive("/etc/agent", archive);
 * ```
 */
export function vendorArchive(
  folder: string,
  { path, name, version }: PackageIdentity & { path: string },
): string {
  const content = readStoredContent(path);
  const hash = sha256(content).slice(0, 8);
  const copy = `${stemOf(name)}-${version}-${hash}.tgz`;
  const archives = join(folder, FOLDER);
  if (!existsSync(join(archives, copy))) {
    makePlainFolder(archives);
    writePackageFile(join(archives, copy), content);
  }
  return `./${FOLDER}/${copy}`;
}

function sweepArchives(folder: string, name: string): void {
  const archives = join(folder, FOLDER);
  if (!existsSync(archives)) return;
  const manifest = existsSync(join(folder, "package.json")) ? readText(join(folder, "package.json")) : "";
  for (const copy of readdirSync(archives)) {
    const isOfIt =
      copy.startsWith(`${stemOf(name)}-`) &&
      /^\d.*-[0-9a-f]{8}\.tgz$/.test(copy.slice(stemOf(name).length + 1));
    if (isOfIt && !manifest.includes(copy)) rmSync(join(archives, copy), { force: true });
  }
  removeIfEmpty(archives);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty.
  }
}

function stemOf(name: string): string {
  return name.replace(/^@/, "").replaceAll("/", "-");
}

function integrityOf(archive: string): string {
  return `sha512-${createHash("sha512").update(readStoredContent(archive)).digest("base64")}`;
}
