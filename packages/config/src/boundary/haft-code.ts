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

/** Code that a running host may load at any time, as far as it lies in a root. All paths are absolute. */
export interface HostCode {
  /** Files and folders of code, as they really are: nothing in them is changed. */
  code: readonly string[];
  /** What leads to code, or would take its place: links, and names that are free. */
  names: readonly string[];
  /** What a mount has to cover to keep {@link code} and {@link names} as they are. */
  protectedPaths: readonly string[];
  /** Names of {@link names} that are free in a folder that is not there, either: a mount cannot keep them free. */
  unmountableNames: readonly string[];
}

export const NO_CODE: HostCode = { code: [], names: [], protectedPaths: [], unmountableNames: [] };

export function containsPath(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/**
 * The packages of this Haft, with all they depend on: much of it is loaded when it is first needed, from where the
 * packages really are. Looked for only when a root could hold some of it.
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
    // The build puts some of these inside; from the sources they are loaded where they are installed.
    const inBuild = isSource && isHaft(manifest) ? Object.keys(manifest.devDependencies ?? {}) : [];
    for (const name of [...dependenciesOf(manifest), ...inBuild]) {
      const { found, missing } = findInstalled(name, folder);
      for (const one of missing) names.add(one);
      // Those of others are for other machines; what Haft itself may load must not appear.
      if (found !== undefined || isHaft(manifest)) for (const one of missing) free.add(one);
      for (const one of takingItsPlace(found, missing, manifest)) free.add(one);
      if (found === undefined) continue;
      if (found.isLink) links.add(found.entry);
      waiting.push(found.real);
    }
  }
  return { held, stores, links, names, free };
}

/** A checkout makes the program of its sandboxes with a script, and keeps it. */
function ofCheckout(haft: string): string[] {
  const house = dirname(dirname(haft));
  return [join(house, "scripts"), join(house, "node_modules/.cache/haft")];
}

function inRoots({ held, stores, links, names, free }: Closure, roots: readonly string[]): HostCode {
  const concerns = (path: string) =>
    roots.some((root) => containsPath(root, path) || containsPath(path, root));
  const code = new Set([...held].filter(concerns));
  const kept = new Set([...code, ...stores, ...[...links].map(dirname)].filter(concerns));
  const loose: string[] = [];
  for (const name of free) {
    if (isWithinAny(kept, name) || !concerns(name)) continue;
    const folder = [dirname(name), dirname(dirname(name))].find(isPackageFolder);
    if (folder === undefined) loose.push(name);
    else kept.add(folder);
  }
  return {
    code: [...code].toSorted(),
    protectedPaths: removeNestedPaths([...kept]).toSorted(),
    names: [...new Set([...names, ...links, ...free])]
      .filter((name) => concerns(name) && !isWithinAny(code, name))
      .toSorted(),
    unmountableNames: loose.toSorted(),
  };
}

/**
 * `require` takes a file `name.js` before a folder `name` that says nothing of its exports. Haft's own packages are
 * modules and use it all the same.
 */
function takingItsPlace(found: Found | undefined, missing: readonly string[], importer: Manifest): string[] {
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
 * What is held for a package: of one with a scope the folder of the scope, in which a `node_modules` would come first;
 * of one in a store of pnpm its place there, in which the links to its dependencies are.
 */
function unitOf(folder: string): string {
  const store = /^(.*\/node_modules\/\.pnpm\/[^/]+)\/node_modules\//.exec(folder)?.[1];
  if (store !== undefined) return store;
  const parent = dirname(folder);
  return basename(parent).startsWith("@") && basename(dirname(parent)) === "node_modules" ? parent : folder;
}

/**
 * Where pnpm links files from one store, other packages, and the store itself, have the same file under another name:
 * who writes into that one, as commands can, changes it here. File tools never write into a file that is there.
 */
function storesOf(folder: string): string[] {
  const house = /^(.*)\/node_modules\/\.pnpm\//.exec(folder)?.[1];
  const links = lstatSync(join(folder, "package.json"), { throwIfNoEntry: false })?.nlink ?? 1;
  if (house === undefined || links === 1) return [];
  return [join(house, "node_modules/.pnpm"), join(house, ".pnpm-store")].filter(
    (path) => getRealPath(path) === path,
  );
}

/** The project around the outermost `node_modules`, or the folder itself. */
function houseOf(folder: string): string {
  const index = `${folder}/`.indexOf("/node_modules/");
  return index <= 0 ? folder : folder.slice(0, index);
}

function isPackageFolder(path: string): boolean {
  const scope = basename(path).startsWith("@") && basename(dirname(path)) === "node_modules";
  if (!scope && basename(path) !== "node_modules") return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
