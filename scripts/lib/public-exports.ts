import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { publicPackages, root } from "./workspace.ts";

export interface PublicExport {
  name: string;
  specifier: string;
  /** The declaring file relative to the root, or its library. */
  origin: string;
}

const sources = new Map(
  publicPackages().flatMap(({ name, folder, manifest }) =>
    Object.entries(manifest.exports).flatMap(([path, target]): [string, string][] => {
      const source = typeof target === "string" ? undefined : target["@haft/source"];
      return source === undefined ? [] : [[name + path.slice(1), join(folder, source)]];
    }),
  ),
);

/**
 * Lists users' exports, without entry points below `internal`. A declaration with several entry points counts
 * once, for its package.
 */
export function publicExports(): PublicExport[] {
  const found = new Map<string, PublicExport>();
  for (const [specifier, source] of sources) {
    if (specifier.includes("/internal")) continue;
    for (const [name, declared] of readExports(source)) {
      const [origin = ""] = declared.split("#");
      const isOfPackage = origin.startsWith(source.replace(/\/src\/.*/, "/"));
      if (isOfPackage || !found.has(declared)) found.set(declared, { name, specifier, origin });
    }
  }
  return [...found.values()];
}

const read = new Map<string, Map<string, string>>();

/** Exported names with declarations: `packages/core/src/contract/tool.ts#Tool`. */
function readExports(path: string): Map<string, string> {
  const before = read.get(path);
  if (before !== undefined) return before;
  const names = new Map<string, string>();
  read.set(path, names);
  const { staticExports, staticImports } = parseSync(path, readFileSync(join(root, path), "utf8")).module;
  const imported = new Map(
    staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map((entry) => [
        entry.localName.value,
        { module: moduleRequest.value, name: entry.importName.name ?? "default" },
      ]),
    ),
  );
  for (const { entries } of staticExports)
    for (const { moduleRequest, importName, exportName, localName } of entries) {
      if ((importName.kind as string) === "AllButDefault") {
        const target = resolve(path, moduleRequest!.value);
        if (target !== undefined)
          for (const [name, declared] of readExports(target)) names.set(name, declared);
        continue;
      }
      const name = exportName.name ?? "default";
      const from = imported.get(localName.name ?? "");
      const module = moduleRequest?.value ?? from?.module;
      const original = importName.name ?? from?.name ?? name;
      const target = module === undefined ? undefined : resolve(path, module);
      const declared = target === undefined ? undefined : readExports(target).get(original);
      names.set(name, declared ?? `${module ?? path}#${original}`);
    }
  return names;
}

/** Finds a module of this repository. */
const resolve = (from: string, module: string): string | undefined =>
  module.startsWith(".") ? join(dirname(from), module) : sources.get(module);
