import { realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * The address of a file in the `dist` of a package, without symbolic links, also where the code that asks was bundled into another package.
 *
 * @param from `import.meta.url` of the code that asks; it has to be able to import the package
 */
export function builtFile(packageName: string, name: string, from: string): URL {
  const manifest = findPackageJSON(packageName, from);
  if (manifest === undefined) throw new Error(`${packageName} is not installed beside ${from}.`);
  return new URL(`dist/${name}`, pathToFileURL(realpathSync(manifest)));
}
