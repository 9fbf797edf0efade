import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import { readPackageJson } from "../packages/read-dependency.ts";

/** Default modules of a package without an entry point. */
const USUAL = ["index.js", "index.mjs", "index.ts", "src/index.ts"];

/**
 * Returns the path of the module of a package in a folder.
 *
 * @param folder Absolute path of a folder with a `package.json`.
 * @throws HaftError `PACKAGE_INVALID` when the `package.json` cannot be read, or the module does not exist
 * @example
 * ```ts
 * import { toFolderEntry } from "@haft/plugin-loader/internal/check";
 * const module = toFolderEntry("/srv/haft-plugin-weather");
 * ```
 */
export function toFolderEntry(folder: string): string {
  const manifest = readPackageJson(folder);
  if (manifest === undefined)
    throw pluginLoaderError("PACKAGE_INVALID", `${join(folder, "package.json")} cannot be read as JSON.`, {
      fix: "Correct it, or name the module of the plugin.",
    });
  const named = targetOf(manifest["exports"]) ?? manifest["main"];
  const paths = (typeof named === "string" ? [named, join(named, "index.js"), `${named}.js`] : USUAL).map(
    (path) => resolve(folder, path),
  );
  const found = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (found !== undefined) return found;
  const source = ["src/index.ts", "index.ts"].find((path) => existsSync(join(folder, path)));
  throw pluginLoaderError(
    "PACKAGE_INVALID",
    typeof named === "string"
      ? `The package.json in ${folder} names the module ${named}, which does not exist.`
      : `The package.json in ${folder} names no module, and none of these files exists: ${USUAL.join(", ")}.`,
    {
      fix:
        source === undefined
          ? "Build it, or correct main or exports."
          : `Build it, or name the source: ${join(folder, source)}.`,
    },
  );
}

/** Returns the target of an `import`, in the order of Node's conditions. */
function targetOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (Array.isArray(exports)) return exports.map(targetOf).find((target) => target !== undefined);
  if (typeof exports !== "object" || exports === null) return undefined;
  const entries = Object.entries(exports);
  if (entries.some(([key]) => key.startsWith(".")))
    return targetOf((exports as Record<string, unknown>)["."]);
  for (const [condition, target] of entries) {
    if (!CONDITIONS.has(condition)) continue;
    const found = targetOf(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

const CONDITIONS = new Set(["node", "import", "module-sync", "node-addons", "default"]);
