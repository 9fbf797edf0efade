import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";
import { resolveImport } from "./scripts/lib/import-graph.ts";
import { mapEntryPointSources } from "./scripts/lib/packed-tests.ts";
import { packed } from "./test/support/build-under-test.ts";

// Tests on the packages as users install them. Started by scripts/test-packed.ts, which says which ones.
if (packed === undefined) throw new Error("Run npm run test:packed: it installs what is tested here.");
const installed = createRequire(join(packed, "package.json"));
const entryPoints = mapEntryPointSources();

/** Packages, and the sources of their entry points, are those that are installed. */
const fromTarballs: Plugin = {
  name: "from-tarballs",
  enforce: "pre",
  resolveId(specifier, importer) {
    if (/^(@haft\/|haft(\/|$))/.test(specifier)) return installed.resolve(specifier);
    const file =
      importer === undefined ? undefined : resolveImport(relative(import.meta.dirname, importer), specifier);
    const name = file === undefined ? undefined : entryPoints.get(file);
    return name === undefined ? undefined : installed.resolve(name);
  },
};

export default defineConfig({
  plugins: [fromTarballs],
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/engine.test.ts"],
    setupFiles: ["test/support/properties.ts"],
    maxWorkers: Math.max(4, availableParallelism() - 1),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
