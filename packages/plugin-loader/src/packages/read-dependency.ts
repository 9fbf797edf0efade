import { readText } from "@haft/config/internal/files";
import { join } from "node:path";

export interface Dependency {
  /** As it stands there: `1.2.3`, `^1.2.3`, `file:packages/x-1.2.3.tgz`. */
  specifier: string;
  exact: boolean;
}

/** What the `package.json` of this folder says about a package; `undefined` where it says nothing, or cannot be read. */
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
