import { isWithinAny, removeNestedPaths } from "@haft/system";
import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  findTopPackages,
  type Found,
  isHaft,
  findInstalled,
  type Manifest,
  readManifest,
} from "./haft-packages.ts";
import { getRealPath } from "./real-path.ts";

/** Contains the code inside a root that a running host may load. All paths are absolute. */
export interface HostCode {
  /** Lists real paths; nothing in them may change. */
  code: readonly string[];
  /** Lists links to code, and unused names with precedence over code. */
  names: readonly string[];
  /** Lists the paths that a mount must cover to protect {@link code} and {@link names}. */
  protectedPaths: readonly string[];
  /** Lists unused names in missing folders: a mount cannot protect them. */
  unmountableNames: readonly string[];
}

export const NO_CODE: HostCode = { code: [], names: [], protectedPaths: [], unmountableNames: [] };

export function containsPath(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/**
 * Returns the packages of this Haft with all dependencies, because many are loaded late, by real path. Searches only if a root could
 * contain some.
 *
 * @param roots real paths
 */
export function findHaftCode(
  roots: readonly string[],
  from: string = fileURLToPath(import.meta.url),
): HostCode {
  const packages = findTopPackages(from);
  if (packages.length === 0) return NO_CODE;
  const houses = packages
    .flatMap((folder) => [folder, findInstalled("yaml", folder).found?.real ?? folder])
    .map(houseOf);
  const near = roots.filter((root) =>
    houses.some((house) => containsPath(root, house) || containsPath(house, root)),
  );
  return near.length === 0 ? NO_CODE : inRoots(closureOf(packages, from), near);
}

interface Closure {
  held: Set<string>;
  stores: Set<string>;
  links: Set<string>;
  names: Set<string>;
  free: Set<string>;
}

function closureOf(packages: readonly string[], from: string): Closure {
  const isSource = from.endsWith(".ts");
  const held = new Set<string>(isSource ? ofCheckout(packages[0]!) : []);
  const stores = new Set<string>();
  const links = new Set<string>();
  const names = new Set<string>();
  const free = new Set<string>();
  const seen = new Set<string>();
  const waiting = [...packages];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (seen.has(folder)) continue;
    seen.add(folder);
    const manifest = readManifest(folder);
    held.add(unitOf(folder));
    for (const store of storesOf(folder)) stores.add(store);
    // A build bundles some of these.
    const inBuild = isSource && isHaft(manifest) ? Object.keys(manifest.devDependencies ?? {}) : [];
    for (const name of [...dependenciesOf(manifest), ...inBuild]) {
      const { found, missing } = findInstalled(name, folder);
      for (const one of missing) names.add(one);
      // Optional packages of Haft must not appear later.
      if (found !== undefined || isHaft(manifest)) for (const one of missing) free.add(one);
      for (const one of findShadowingNames(found, missing, manifest)) free.add(one);
      if (found === undefined) continue;
      if (found.isLink) links.add(found.entry);
      waiting.push(found.real);
    }
  }
  return { held, stores, links, names, free };
}

/** A checkout builds and stores the program of its sandboxes. */
function ofCheckout(haft: string): string[] {
  const house = dirname(dirname(haft));
  return [join(house, "scripts"), join(house, "node_modules/.cache/haft")];
}

function inRoots({ held, stores, links, names, free }: Closure, roots: readonly string[]): HostCode {
  const concerns = (path: string) =>
    roots.some((root) => containsPath(root, path) || containsPath(path, root));
  const code = new Set([...held].filter(concerns));
  const protectedFolders = new Set([...code, ...stores, ...[...links].map(dirname)].filter(concerns));
  const loose: string[] = [];
  for (const name of free) {
    if (isWithinAny(protectedFolders, name) || !concerns(name)) continue;
    const folder = [dirname(name), dirname(dirname(name))].find(isPackageFolder);
    if (folder === undefined) loose.push(name);
    else protectedFolders.add(folder);
  }
  return {
    code: [...code].toSorted(),
    protectedPaths: removeNestedPaths([...protectedFolders]).toSorted(),
    names: [...new Set([...names, ...links, ...free])]
      .filter((name) => concerns(name) && !isWithinAny(code, name))
      .toSorted(),
    unmountableNames: loose.toSorted(),
  };
}

/** `require` prefers `name.js` to a folder `name` without exports. This also affects Haft's own ES modules. */
function findShadowingNames(
  found: Found | undefined,
  missing: readonly string[],
  importer: Manifest,
): string[] {
  if (importer.type === "module" && !isHaft(importer)) return [];
  if (found === undefined && !isHaft(importer)) return [];
  if (found !== undefined && readManifest(found.real).exports !== undefined) return [];
  return [...missing, ...(found === undefined ? [] : [found.entry])].flatMap((entry) =>
    [".js", ".json", ".node"].map((ending) => entry + ending),
  );
}

function dependenciesOf({ dependencies, optionalDependencies, peerDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

/**
 * Returns the folder to protect for a package: for a scoped package the scope's folder, where a nested `node_modules` would take
 * the links to its dependencies.
 */
function unitOf(folder: string): string {
  const store = /^(.*\/node_modules\/\.pnpm\/[^/]+)\/node_modules\//.exec(folder)?.[1];
  if (store !== undefined) return store;
  const parent = dirname(folder);
  return basename(parent).startsWith("@") && basename(dirname(parent)) === "node_modules" ? parent : folder;
}

/**
 * pnpm may hard-link files from one store into other packages: a command that writes there changes the code here. File tools never write
 * into an existing file.
 */
function storesOf(folder: string): string[] {
  const house = /^(.*)\/node_modules\/\.pnpm\//.exec(folder)?.[1];
  const links = lstatSync(join(folder, "package.json"), { throwIfNoEntry: false })?.nlink ?? 1;
  if (house === undefined || links === 1) return [];
  return [join(house, "node_modules/.pnpm"), join(house, ".pnpm-store")].filter(
    (path) => getRealPath(path) === path,
  );
}

function houseOf(folder: string): string {
  const index = `${folder}/`.indexOf("/node_modules/");
  return index <= 0 ? folder : folder.slice(0, index);
}

function isPackageFolder(path: string): boolean {
  const scope = basename(path).startsWith("@") && basename(dirname(path)) === "node_modules";
  if (!scope && basename(path) !== "node_modules") return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
