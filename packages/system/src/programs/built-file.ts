import { realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Returns the URL of a file in the `dist` of a package, without symbolic links, even if the calling code was bundled.
 *
 * @param from `import.meta.url` of the calling code, which must be able to import the package.
 * @throws Error if the package is not installed there
 * @example
 * ```ts
 * import { builtFile } from "@haft/system";
 * const worker = builtFile("@haft/workspace", "worker.js", import.meta.url);
 * ```
 */
export function builtFile(packageName: string, name: string, from: string): URL {
  const manifest = findPackageJSON(packageName, from);
  if (manifest === undefined) throw new Error(`${packageName} is not installed beside ${from}.`);
  return new URL(`dist/${name}`, pathToFileURL(realpathSync(manifest)));
}
