import { join, normalize } from "node:path";
import { resolveImport, readImports } from "./import-graph.ts";
import { publicPackages } from "./workspace.ts";

/** Source files of entry points → what users import instead: `packages/core/src/index.ts` → `@haft/core`. */
export function mapEntryPointSources(): Map<string, string> {
  return new Map(
    publicPackages().flatMap(({ name, folder, manifest }) =>
      Object.entries(manifest.exports).flatMap(([subpath, target]) => {
        const source = typeof target === "string" ? undefined : target["@haft/source"];
        return source === undefined
          ? []
          : [[normalize(join(folder, source)), name + subpath.slice(1)] as const];
      }),
    ),
  );
}

/** Helpers of tests that observe the tested code from outside. */
const INSTRUMENTS = [
  "packages/sandbox/src/docker/engine/engine.ts",
  "packages/sandbox/src/errors.ts",
  "packages/store/src/testing/approvals/samples.ts",
  "packages/store/src/testing/ledger/samples.ts",
];

/**
 * Returns the source files behind entry points that a test uses, also through its helpers. Such a test would test the sources and not the
 * packed files.
 */
export function hiddenSources(test: string): string[] {
  const entries = mapEntryPointSources();
  const hidden = new Set<string>();
  const seen = new Set([test]);
  for (const path of seen) {
    for (const { specifier, isType } of readImports(path)) {
      const file = isType ? undefined : resolveImport(path, specifier);
      if (file === undefined || entries.has(file) || INSTRUMENTS.includes(file)) continue;
      if (/^packages\/[^/]+\/src\//.test(file)) hidden.add(file);
      else if (file.endsWith(".ts")) seen.add(file);
    }
  }
  return [...hidden];
}
