import { messageOf } from "@haft/core";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hostError } from "../../errors.ts";
import { Aside } from "./aside.ts";
import { integrityOf, lockedIntegrity } from "./integrity.ts";
import { keepArchive, removeIfEmpty, sweepArchives } from "./kept-archives.ts";
import { KeptFiles, makeFolder, writeWhole } from "./kept-files.ts";
import { commandsOf, type ManagerCommand } from "./manager-commands.ts";
import { type FoundManager, findManager } from "./package-managers.ts";
import type { PackageSpec } from "./package-spec.ts";
import { installedVersion } from "./pinned.ts";
import { runManager, versionOf } from "./run-manager.ts";

export type Working = <T>(what: string, work: () => Promise<T>) => Promise<T>;

export interface InstallOptions {
  /** A folder, and whose: one of the `user` has nothing to do with what is around it. */
  place: { folder: string; as: string };
  allowScripts: boolean;
  working: Working;
  /** Folders of packages that are not what they were, and that package managers would take for it. */
  stale?: readonly string[];
  signal?: AbortSignal | undefined;
}

export type InstallSpec = Extract<PackageSpec, { from: "registry" | "archive" }>;

/** A package that was installed, in one version and no other. */
export interface InstalledPackage {
  name: string;
  version: string;
  /** Of the package as it was fetched, `sha512-…`; of yarn its checksum. Where the lockfile has none, there is none. */
  integrity?: string;
}

/** With which package manager. @throws HaftError `PACKAGE_INSTALL_FAILED` */
export function managerOf({ folder, as }: InstallOptions["place"]): FoundManager {
  return findManager(folder, as !== "user");
}

/**
 * Installs a package beside a configuration, then does something with it. Where either fails, `package.json`, lockfile and packages
 * are what they were.
 *
 * @throws HaftError `PACKAGE_…`, `HOST_PROGRAM_CHANGED`, and what `then` throws
 */
export async function installPackage<T>(
  spec: InstallSpec,
  options: InstallOptions,
  then: (installed: InstalledPackage) => Promise<T>,
): Promise<T> {
  const { folder } = options.place;
  const manager = managerOf(options.place);
  const hadFolder = existsSync(folder);
  try {
    return await changing(manager, options, async (run, commands) => {
      startManifest(folder);
      const wanted = spec.from === "archive" ? keepArchive(folder, spec) : registrySpec(spec);
      await run(`install ${spec.name}`, commands.add({ name: spec.name, spec: wanted }));
      return then(found(spec, folder, manager));
    });
  } finally {
    sweepArchives(folder, spec.name);
    if (!hadFolder) removeIfEmpty(folder);
  }
}

/** Takes a package out, or leaves everything as it was. @throws HaftError `PACKAGE_…`, `HOST_PROGRAM_CHANGED` */
export async function uninstallPackage(name: string, options: InstallOptions): Promise<void> {
  const manager = managerOf(options.place);
  await changing(manager, options, async (run, commands) => run(`remove ${name}`, commands.remove(name)));
  sweepArchives(options.place.folder, name);
}

type Commands = ReturnType<typeof commandsOf>;

async function changing<T>(
  manager: FoundManager,
  { place: { folder, as }, allowScripts, working, stale = [], signal }: InstallOptions,
  change: (run: (doing: string, command: ManagerCommand) => Promise<void>, commands: Commands) => Promise<T>,
): Promise<T> {
  makeFolder(folder);
  const version = manager.name === "yarn" ? await versionOf(manager, folder) : undefined;
  const commands = commandsOf({ ...manager, version }, folder, { allowScripts, own: as === "user" });
  const files = new KeptFiles([...new Set([folder, manager.lockFolder])]);
  const run = (doing: string, command: ManagerCommand, until: AbortSignal | undefined) =>
    working(`${manager.name}: ${doing}`, () =>
      runManager(manager, command, { folder, doing, signal: until }),
    );
  // Yarn takes what it noted there for what is installed.
  const aside = new Aside(stale.length === 0 ? [] : [...stale, join(folder, "node_modules/.yarn-state.yml")]);
  try {
    const answer = await change((doing, command) => run(doing, command, signal), commands);
    aside.forget();
    return answer;
  } catch (thrown) {
    const { changed } = files;
    files.putBack();
    aside.putBack();
    if (changed && files.hadPackages) {
      try {
        // Whoever has given up wants this all the more.
        await run("put back what was installed before", commands.restore(), undefined);
      } catch (other) {
        throw hostError(
          "PACKAGE_INSTALL_FAILED",
          `${messageOf(thrown)} And what was installed before is not all there again: ${messageOf(other)}`,
          { fix: `Run ${manager.name} install in ${folder}.`, cause: thrown },
        );
      } finally {
        files.putBack();
      }
    }
    throw thrown;
  }
}

/** Without a `package.json`, package managers look for one in the folders above. */
function startManifest(folder: string): void {
  const path = join(folder, "package.json");
  if (existsSync(path)) return;
  const manifest = { private: true, description: "Plugins of Haft: haft plugins list" };
  writeWhole(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function registrySpec({ name, wanted }: Extract<InstallSpec, { from: "registry" }>): string {
  return wanted === undefined ? name : `${name}@${wanted}`;
}

function found(
  spec: InstallSpec,
  folder: string,
  { name: manager, lockFolder }: FoundManager,
): InstalledPackage {
  const { name } = spec;
  const version = installedVersion(folder, name);
  if (version === undefined)
    throw hostError(
      "PACKAGE_INSTALL_FAILED",
      `${manager} installed ${name}, and it is not in ${join(folder, "node_modules")}, where Node looks.`,
      {
        fix: "Yarn puts it there with nodeLinker: node-modules in .yarnrc.yml; in workspaces the configuration belongs beside the package.json at their root.",
      },
    );
  const integrity =
    spec.from === "archive" ? integrityOf(spec.path) : lockedIntegrity(lockFolder, name, version);
  return { name, version, ...(integrity === undefined ? {} : { integrity }) };
}
