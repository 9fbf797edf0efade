import { readText } from "@haft/system";
import { join } from "node:path";

/** A dependency in a `package.json`. */
export interface Dependency {
  /** The text in the `package.json`: `1.2.3`, `^1.2.3`, `file:packages/x-1.2.3.tgz`. */
  specifier: string;
  /** Whether it names one version or one archive. */
  exact: boolean;
}

/**
 * Returns the dependency on a package in the `package.json` of a folder. Returns `undefined` where there is none, and where the file
 * cannot be read.
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
 * Returns the content of the `package.json` of a folder. Returns `undefined` where it cannot be read, or holds no object.
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
