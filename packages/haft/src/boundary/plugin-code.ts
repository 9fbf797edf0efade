import type { Plugin } from "@haft/core";
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { realOf } from "./own-code.ts";

/**
 * What hosts may load of plugins later: all of a package that was installed, and else the module alone, since the folder
 * around it is a project that people work on.
 */
export function pluginCode(plugins: readonly Plugin[]): string[] {
  return plugins.flatMap(({ source }) => {
    if (typeof source !== "string") return [];
    const file = realOf(source) ?? source;
    return [installedPackage(file) ?? file];
  });
}

function installedPackage(file: string): string | undefined {
  for (let folder = dirname(file); folder.includes(`${sep}node_modules${sep}`); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}
