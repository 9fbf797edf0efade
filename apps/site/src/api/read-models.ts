import {
  type ApiEntryPoint,
  type ApiItem,
  ApiPackage,
  type ExcerptToken,
} from "@microsoft/api-extractor-model";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An entry point's exports. */
export interface Entry {
  /** The import name: `@haft/core/kernel`. */
  specifier: string;
  /** Its page without an ending: `core.kernel`. */
  name: string;
  exports: readonly ApiItem[];
  /** Packages that it re-exports. */
  reexports: string[];
}

/** Reads each entry point's `*.api.json`, and `*.api.md` for facts missing there. */
export function readModels(folder: string): Entry[] {
  const models = readdirSync(folder).filter((file) => file.endsWith(".api.json"));
  if (models.length === 0) throw new Error(`${folder} holds no models: npm run site makes them first.`);
  return models.map((file) => {
    const name = file.slice(0, -".api.json".length);
    const read = ApiPackage.loadFromJsonFile(join(folder, file));
    const [entryPoint] = read.entryPoints as [ApiEntryPoint];
    const report = readFileSync(join(folder, `${name}.api.md`), "utf8");
    return {
      specifier: read.name + name.slice(read.name.replace("@haft/", "").length).replaceAll(".", "/"),
      name,
      exports: entryPoint.members,
      reexports: [...report.matchAll(/^export \* from "(.+)";$/gm)].map(([, from]) => from!),
    };
  });
}

/** Where an exported name is described: `core#toolcontext`. */
export type Finder = (packageName: string, exported: string, near: Entry) => string | undefined;

/** Finds a name on the same page, else in the same package, else in the requested package. */
export function createFinder(entries: readonly Entry[]): Finder {
  return (packageName, exported, near) => {
    const has = (entry: Entry) => entry.exports.some(({ displayName }) => displayName === exported);
    const found =
      [near].find(has) ??
      entries.find((entry) => entry.specifier === packageName && has(entry)) ??
      entries.find((entry) => entry.specifier.startsWith(packageName) && has(entry));
    return found === undefined ? undefined : `${found.name}.html#${exported.toLowerCase()}`;
  };
}

/** Returns the named declaration of this repository, if any. */
export function parseReference(token: ExcerptToken): { packageName: string; exported: string } | undefined {
  const [, packageName, exported] = /^(.+)!(\w+)/.exec(token.canonicalReference?.toString() ?? "") ?? [];
  return packageName === undefined ? undefined : { packageName, exported: exported! };
}
