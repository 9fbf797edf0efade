// Bundles a module of a package as a program, in the package's folder after bundle.ts. It includes other
// packages of the repository, but no npm dependencies. CommonJS starts faster than ES modules.
//
// node ../../scripts/bundle-program.ts PROGRAM [--soon MODULE]… [--external ENTRY]…
//   PROGRAM  its source file, relative to src/
//   --soon   a module that each start imports with import(): one file has it and all that is imported at the start; relative to packages/
//   --external  an entry point of another package that is not bundled
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type InputOptions, type OutputAsset, type OutputChunk } from "rolldown";
import { collectLicences } from "./lib/licence-text.ts";
import { NO_COMMENTS, throwWarnings } from "./lib/rolldown-options.ts";
import { root } from "./lib/workspace.ts";

interface Manifest {
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const { values, positionals } = parseArgs({
  options: {
    soon: { type: "string", multiple: true, default: [] },
    external: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const program = resolve("src", positionals[0]!);
const name = basename(program, ".ts");
const soon = new Set([program, ...values.soon.map((path) => join(root, "packages", path))]);
const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const installed = [
  ...values.external,
  ...Object.keys(dependencies ?? {}).filter((each) => !each.startsWith("@haft/")),
  ...Object.keys(peerDependencies ?? {}),
];

const input: InputOptions = {
  input: { [name]: program },
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  external: (id) => installed.some((each) => id === each || id.startsWith(`${each}/`)),
  resolve: { conditionNames: ["@haft/source", "node", "import", "default"] },
  transform: { target: "node22" },
  // Loading the SDK changes only the SDK, but its package does not declare this.
  treeshake: { moduleSideEffects: [{ test: /@modelcontextprotocol/, sideEffects: false }] },
  onLog(level, log) {
    // A part loads a module later that another part needs at the start.
    if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") throwWarnings(level, log);
  },
};
const started = loadedBy(soon, (await build({ ...input, write: false })).output);
await build({
  ...input,
  output: {
    dir: "dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: `${name}-[hash].cjs`,
    hashCharacters: "base36",
    dynamicImportInCjs: true,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => (started.has(id) && id !== program ? "start" : null), debugName: "start" }],
    },
    // Node prints the whole line of an uncaught error.
    minify: { compress: true, mangle: true, codegen: false },
    comments: NO_COMMENTS,
    banner: ({ moduleIds }) => collectLicences(moduleIds).join("\n"),
    sourcemap: false,
  },
});

/** Returns modules whose chunks load together with these. */
function loadedBy(starts: ReadonlySet<string>, parted: readonly (OutputChunk | OutputAsset)[]): Set<string> {
  const chunks = new Map(parted.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each]] : [])));
  const loaded = new Set(
    [...chunks.values()].filter(({ moduleIds }) => moduleIds.some((id) => starts.has(id))),
  );
  for (const { imports } of loaded)
    for (const file of imports) if (chunks.has(file)) loaded.add(chunks.get(file)!);
  return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
}
