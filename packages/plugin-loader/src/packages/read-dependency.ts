import { readText } from "@haft/system";
import { join } from "node:path";

/** Describes a dependency in a `package.json`. */
export interface Dependency {
  /** Contains `1.2.3`, `^1.2.3`, `file:packages/x-1.2.3.tgz`. */
  specifier: string;
  /** States whether it names exactly one version or archive. */
  exact: boolean;
}

/**
 * Returns the dependency on a package in a folder, or `undefined` if it is missing or the file cannot be read.
 *
 * @example
 * ```ts run
 * import { writeFileSync } from "node:fs";
 * import { readDependency } from "@haft/plugin-loader/internal/plugins";
 * writeFileSync("package.json", '{ "dependencies": { "haft-plugin-weather": "1.2.0" } }');
 * readDependency(".", "haft-plugin-weather"); // => { specifier: "1.2.0", exact: true }
 * ```
 */
export function readDependency(folder: string, name: string): Dependency | undefined {
  const manifest = readPackageJson(folder) as Record<string, Record<string, unknown> | undefined> | undefined;
  for (const key of ["dependencies", "devDependencies", "optionalDependencies"]) {
    const wanted = manifest?.[key]?.[name];
    if (typeof wanted === "string")
      return {
        specifier: wanted,
        exact: /^(?:\d+\.\d+\.\d+(?:[-+][\w.+-]+)?|.*\.tgz)$/.test(wanted),
      };
  }
  return undefined;
}

export function readInstalledVersion(folder: string, name: string): string | undefined {
  const { version } = readPackageJson(join(folder, "node_modules", name)) ?? {};
  return typeof version === "string" ? version : undefined;
}

/**
 * Returns the `package.json` of a folder, or `undefined` if it cannot be read, or is not an object.
 *
 * @example
 * ```ts run
 * import { readPackageJson } from "@haft/plugin-loader/internal/plugins";
 * readPackageJson("no-such-folder"); // => undefined
 * ```
 */
export function readPackageJson(folder: string): Record<string, unknown> | undefined {
  try {
    const manifest: unknown = JSON.parse(readText(join(folder, "package.json")));
    return typeof manifest === "object" && manifest !== null
      ? (manifest as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
