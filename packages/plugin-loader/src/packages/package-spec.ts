import { resolvePath } from "@haft/config/internal/settings";
import { getErrorMessage } from "@haft/core";
import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import { type PackageIdentity, readArchive } from "./read-archive.ts";

/**
 * Describes the result of {@link parsePackageSpec}.
 *
 * @example
 * ```ts
 * import type { PackageSpec } from "@haft/plugin-loader/internal/plugins";
 * const format = (spec: PackageSpec) => (spec.from === "registry" ? spec.name : spec.path);
 * ```
 */
export type PackageSpec =
  /** A version, a range or a tag. */
  | { from: "registry"; name: string; specifier: string | undefined }
  | ({ from: "archive"; path: string } & PackageIdentity)
  /** A folder with a `package.json`, or a module; not copied. */
  | { from: "folder"; path: string }
  | { from: "module"; path: string };

const ARCHIVE = /\.(?:tgz|tar\.gz)$/;
const MODULE = /\.[cm]?[jt]s$/;
const IS_PATH = /^(?:file:|\.{1,2}(?:\/|$)|~?\/)/;
/** A few old packages have capitals. */
const NAMED = /^((?:@[\w~-][\w.~-]*\/)?[\w~][\w.~-]*)(?:@([^@\s-][^@]*))?$/;
const VERSION = /^[\w.*+~^<>=|-][\w.*+~^<>=| -]*$/;

/**
 * Parses `NAME`, `NAME@VERSION`, `./folder`, `./module.ts` or `./package.tgz`.
 *
 * @param folder The folder at which relative paths start.
 * @throws HaftError `PACKAGE_INVALID`
 * @example
 * ```ts run
 * import { parsePackageSpec } from "@haft/plugin-loader/internal/plugins";
 * const spec = parsePackageSpec("haft-plugin-weather@1.2.0", process.cwd());
 * spec; // => { from: "registry", name: "haft-plugin-weather", specifier: "1.2.0" }
 * ```
 */
export function parsePackageSpec(word: string, folder: string): PackageSpec {
  if (IS_PATH.test(word) || ARCHIVE.test(word))
    return readPath(resolvePath(word.replace(/^file:(?:\/\/(?=\/))?/, ""), folder));
  const [, name, wanted] = NAMED.exec(word) ?? [];
  if (name !== undefined && (wanted === undefined || VERSION.test(wanted)))
    return { from: "registry", name, specifier: wanted };
  throw pluginLoaderError(
    "PACKAGE_INVALID",
    `${JSON.stringify(word)} is neither the name of a package nor a path.`,
    {
      fix: "Write NAME or NAME@VERSION for a package of your registry, or ./folder, ./module.ts or ./package.tgz for local files. Clone a repository and add its folder.",
    },
  );
}

function readPath(path: string): PackageSpec {
  const found = statOf(path);
  const refuse = (why: string, fix: string) =>
    pluginLoaderError("PACKAGE_INVALID", `${path} ${why}.`, { fix });
  if (found === undefined)
    throw refuse(
      "is not there",
      "Name an existing folder, module or packed package (npm pack prints its file). A package of a registry has no path before its name.",
    );
  if (found.isDirectory()) {
    if (statOf(join(path, "package.json"))?.isFile() !== true)
      throw refuse("has no package.json", "Name the module of the plugin in it: ./folder/index.ts.");
    return { from: "folder", path };
  }
  if (ARCHIVE.test(path) && found.isFile()) return { from: "archive", path, ...readArchive(path) };
  if (MODULE.test(path) && found.isFile()) return { from: "module", path };
  throw refuse("is no plugin", "Name a folder, a module (.ts, .js) or a packed package (.tgz).");
}

/**
 * Returns the package name in the name of a plugin, or `undefined` for a path.
 *
 * @example
 * ```ts run
 * import { parsePackageName } from "@haft/plugin-loader/internal/plugins";
 * parsePackageName("@example/weather/extra"); // => "@example/weather"
 * parsePackageName("./weather.ts"); // => undefined
 * ```
 */
export function parsePackageName(use: string): string | undefined {
  return IS_PATH.test(use) ? undefined : /^(?:@[^/]+\/)?[^/]+/.exec(use)?.[0];
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    throw pluginLoaderError("PACKAGE_INVALID", `${path} cannot be read: ${getErrorMessage(thrown)}.`, {
      fix: "See to the rights of the folders it is in.",
      cause: thrown,
    });
  }
}
