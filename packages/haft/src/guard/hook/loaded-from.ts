import { basename, dirname, join } from "node:path";

/** Packages of others that a hook may load. */
export const LOADED = ["jsonc-parser", "smol-toml", "unbash", "yaml"] as const;

/**
 * The folders that a hook is loaded from: the package of the program and those beside it, as package managers lay them out. Where it
 * is not installed, as in a checkout, that is its own folder alone.
 *
 * @param folder that of the program
 */
export function loadedFrom(folder: string): string[] {
  const own = dirname(folder);
  const packages = dirname(own);
  if (basename(packages) !== "node_modules") return [folder];
  return [own, ...["@haft", ...LOADED].map((name) => join(packages, name))];
}
