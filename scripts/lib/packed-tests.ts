import { join, normalize } from "node:path";
import { resolveImport, readImports } from "./import-graph.ts";
import { publicPackages } from "./workspace.ts";

/** Maps sources of entry points to specifiers: `packages/core/src/index.ts` → `@haft/core`. */
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

/** Test helpers that observe from outside. */
const INSTRUMENTS = [
  "packages/sandbox/src/docker/engine/engine.ts",
  "packages/sandbox/src/errors.ts",
  "packages/store/src/testing/approvals/samples.ts",
  "packages/store/src/testing/ledger/samples.ts",
];

/** Returns non-entry sources that a test uses, directly or by helpers. Such tests cannot test packed files. */
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
