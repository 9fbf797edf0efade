import { isObject } from "@haft/utils";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface ModuleManifest {
  name?: unknown;
  type?: unknown;
  main?: unknown;
  exports?: unknown;
  imports?: unknown;
}

export interface CheckedFiles {
  /** Returns the `package.json` of a folder, from checked bytes; `undefined` if it is not covered. */
  getManifest(folder: string): ModuleManifest | undefined;
  covers(path: string): boolean;
  ownsFolder(path: string): boolean;
}

export interface Request {
  name: string;
  parent: string;
  conditions: readonly string[];
}

/** `require` adds these. */
const ENDINGS = [".js", ".json", ".node"];

/**
 * Returns whether Node's result follows from the checked bytes. Node reads each `package.json` at another time, when the file may have had
 * other content.
 *
 * @param found real path
 */
export function isExpected(found: string, request: Request, checked: CheckedFiles): boolean {
  const { name, parent } = request;
  if (/^(?:file:|\.{0,2}\/|\.{1,2}$)/.test(name)) {
    // An import passes a URL, a require a path.
    const { href } = pathToFileURL(parent);
    const url = URL.canParse(name, href) ? new URL(name, href) : undefined;
    const paths = [
      resolve(dirname(parent), name),
      ...(url?.protocol === "file:" ? [fileURLToPath(url)] : []),
    ];
    return paths.some((path) => isFileOrIn(found, path, checked));
  }
  const target = name.startsWith("#") ? targetOfImports(request, checked) : targetOfPackage(request, checked);
  if (target === undefined) return false;
  return target.exact ? found === real(target.path) : isFileOrIn(found, target.path, checked);
}

/** `exact`: the file itself; else Node may add an extension, or search the folder. */
interface Target {
  path: string;
  exact: boolean;
}

function isFileOrIn(found: string, path: string, checked: CheckedFiles): boolean {
  if (found === real(path)) return true;
  if (dirname(found) === real(dirname(path)) && [basename(path), stemOf(path)].includes(stemOf(found)))
    return true;
  const folder = real(path);
  const main = mainOf(folder, checked);
  if (main !== undefined) return found === main;
  return dirname(found) === folder && stemOf(found) === "index";
}

/** Compilers accept `x.js` for `x.ts`. */
function stemOf(path: string): string {
  return basename(path).replace(/\.(?:[cm]?[jt]sx?|json|node)$/, "");
}

/** Returns the index by default, without `exports`. */
function mainOf(folder: string, checked: CheckedFiles): string | undefined {
  const main = checked.getManifest(folder)?.main;
  const index = ENDINGS.map((ending) => `index${ending}`);
  const named =
    typeof main === "string"
      ? [main, ...ENDINGS.map((ending) => main + ending), ...index.map((each) => join(main, each))]
      : [];
  return [...named, ...index].map((each) => real(join(folder, each))).find((each) => checked.covers(each));
}

function targetOfPackage({ name, parent, conditions }: Request, checked: CheckedFiles): Target | undefined {
  const [, packageName, below = ""] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(name) ?? [];
  if (packageName === undefined) return undefined;
  const folder = selfOf(packageName, parent, checked) ?? packageAbove(packageName, dirname(parent));
  const manifest = folder === undefined ? undefined : checked.getManifest(folder);
  if (folder === undefined || manifest === undefined) return undefined;
  const { exports } = manifest;
  if (exports !== undefined && exports !== null) {
    const target = targetIn(isMap(exports) ? exports : { ".": exports }, `.${below}`, conditions);
    return target === undefined ? undefined : { path: join(folder, target), exact: true };
  }
  if (below !== "") return { path: join(folder, below), exact: false };
  const main = mainOf(folder, checked);
  return main === undefined ? undefined : { path: main, exact: true };
}

function targetOfImports(request: Request, checked: CheckedFiles): Target | undefined {
  const { name, parent, conditions } = request;
  const scope = findPackageScope(parent, checked);
  const imports = scope?.manifest.imports;
  if (scope === undefined || !isObject(imports)) return undefined;
  const target = targetIn(imports, name, conditions);
  if (target === undefined) return undefined;
  if (target.startsWith("./")) return { path: join(scope.folder, target), exact: true };
  return targetOfPackage({ ...request, name: target, parent: join(scope.folder, "package.json") }, checked);
}

function selfOf(name: string, parent: string, checked: CheckedFiles): string | undefined {
  const scope = findPackageScope(parent, checked);
  return scope?.manifest.name === name && (scope.manifest.exports ?? undefined) !== undefined
    ? scope.folder
    : undefined;
}

export function findPackageScope(
  module: string,
  checked: CheckedFiles,
): { folder: string; manifest: ModuleManifest } | undefined {
  for (let folder = dirname(module); !folder.endsWith("/node_modules"); folder = dirname(folder)) {
    const manifest = checked.getManifest(folder);
    if (manifest !== undefined) return { folder, manifest };
    // The guard has no hash of the manifest that Node uses.
    if (!checked.ownsFolder(folder) && existsSync(join(folder, "package.json"))) return undefined;
    if (folder === dirname(folder)) return undefined;
  }
  return undefined;
}

function packageAbove(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (
      !folder.endsWith("/node_modules") &&
      statSync(candidate, { throwIfNoEntry: false })?.isDirectory() === true
    )
      return real(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

function isMap(exports: unknown): exports is Record<string, unknown> {
  return isObject(exports) && Object.keys(exports).some((key) => key.startsWith("."));
}

/** Follows the rules of Node for `exports` and `imports`. */
function targetIn(
  map: Readonly<Record<string, unknown>>,
  key: string,
  conditions: readonly string[],
): string | undefined {
  if (Object.hasOwn(map, key) && !key.includes("*")) return targetOf(map[key], conditions, "");
  const [best] = Object.keys(map)
    .filter((pattern) => {
      const [before = "", after, ...more] = pattern.split("*");
      return (
        after !== undefined &&
        more.length === 0 &&
        key !== before &&
        key.startsWith(before) &&
        key.length >= pattern.length &&
        key.endsWith(after)
      );
    })
    .toSorted((one, other) => other.indexOf("*") - one.indexOf("*") || other.length - one.length);
  if (best === undefined) return undefined;
  const [before = "", after = ""] = best.split("*");
  return targetOf(map[best], conditions, key.slice(before.length, key.length - after.length));
}

function targetOf(target: unknown, conditions: readonly string[], match: string): string | undefined {
  if (typeof target === "string") return target.replaceAll("*", () => match);
  if (Array.isArray(target))
    return target.map((each) => targetOf(each, conditions, match)).find((each) => each !== undefined);
  if (!isObject(target)) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    if (condition !== "default" && !conditions.includes(condition)) continue;
    const found = targetOf(inner, conditions, match);
    if (found !== undefined) return found;
    // `null` closes the entry.
    if (inner === null) return undefined;
  }
  return undefined;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
