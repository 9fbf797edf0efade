// Makes a program of its own of a module of a package with all that it ever loads, run in the package's folder after bundle.ts: what it
// loads at its start is one file, and small. Other packages of the repository are put inside; what is started by itself
// (threads, processes) stays theirs.
//
// node ../../scripts/bundle-program.ts PROGRAM [--soon MODULE]… [--instead MODULE=FILE]… [--pure NAME]… [--drop PACKAGE=STATEMENT]…
//   PROGRAM    its source file, relative to src/
//   --soon     a source file that is imported later, but by every start; relative to packages/
//   --instead  what takes the place of a module of a dependency, relative to packages/
//   --pure     a function whose calls do nothing but answer: what they make and nobody uses is left out
//   --drop     PACKAGE=STATEMENT: one of a dependency that fills tables nobody here reads, at every start; it has to be there
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build, type InputOptions, type OutputAsset, type OutputChunk, type Plugin } from "rolldown";
import { brokenLines } from "./lib/broken-lines.ts";
import { licencesFor } from "./lib/licence-of.ts";
import { modulesOfNode } from "./lib/modules-of-node.ts";
import { NO_COMMENTS, throwWarnings } from "./lib/rolldown-options.ts";
import { textsInside } from "./lib/texts-inside.ts";
import { root } from "./lib/workspace.ts";

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const { values, positionals } = parseArgs({
  options: {
    soon: { type: "string", multiple: true, default: [] },
    instead: { type: "string", multiple: true, default: [] },
    pure: { type: "string", multiple: true, default: [] },
    drop: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const program = resolve("src", positionals[0]!);
const name = basename(program, ".ts");
const packages = join(root, "packages");
const soon = new Set([program, ...values.soon.map((path) => join(packages, path))]);
const instead = Object.fromEntries(
  values.instead
    .map((given) => given.split("=") as [string, string])
    .map(([id, path]) => [id, join(packages, path)]),
);
const { dependencies, peerDependencies } = manifestOf(".");
/** Packages of the repository are put inside, but those that a user adds. */
const installed = [
  ...Object.keys(dependencies ?? {}).filter((each) => !each.startsWith("@haft/")),
  ...Object.keys(peerDependencies ?? {}),
];

/** What a module of another package finds beside itself is beside what is built of that. */
const besideTheirs: Plugin = {
  name: "beside-theirs",
  transform: {
    filter: { code: /import\.meta\.(?:url|dirname)/ },
    handler(code, id) {
      const folder = join(packages, relative(packages, id).split("/")[0]!);
      if (folder === process.cwd() || !id.startsWith(packages)) return null;
      if (code.includes("import.meta.dirname")) throw new Error(`${id} asks for its folder.`);
      const { name: theirs } = manifestOf(folder);
      const place = `new URL("dist/index.js", import.meta.resolve("${theirs}/package.json")).href`;
      return { code: code.replaceAll("import.meta.url", place) };
    },
  },
};

/** What the bundler itself imports stands in a file that all others import, and is taken as {@link modulesOfNode} does it. */
const OF_THE_BUNDLER = /import(\{\w+) as (\w+\})from"(node:module)";/;
const ofTheBundler: Plugin = {
  name: "of-the-bundler",
  resolveId: {
    filter: { id: /^node:/ },
    handler: (id, importer) => (importer?.startsWith("\0rolldown/") ? { id, external: true } : null),
  },
};

const toDrop = new Map(
  values.drop.map((given) => [given.slice(given.indexOf("=") + 1), given.split("=")[0]!]),
);
const dropped = new Set<string>();
const withoutDropped: Plugin = {
  name: "without-dropped",
  transform: {
    filter: { id: /\/node_modules\// },
    handler(code, id) {
      const found = [...toDrop].filter(
        ([text, of]) => id.includes(`/node_modules/${of}/`) && code.includes(text),
      );
      for (const [text] of found) dropped.add(text);
      return found.length === 0
        ? null
        : { code: found.reduce((rest, [text]) => rest.replace(text, ""), code) };
    },
  },
};

const input: InputOptions = {
  input: { [name]: program },
  preserveEntrySignatures: "allow-extension",
  platform: "node",
  external: (id) => installed.some((each) => id === each || id.startsWith(`${each}/`)),
  resolve: { conditionNames: ["@haft/source", "node", "import", "default"], alias: instead },
  transform: { target: "node22" },
  // Says nothing about it. What it does when it is loaded it does to itself.
  treeshake: {
    moduleSideEffects: [{ test: /@modelcontextprotocol/, sideEffects: false }],
    manualPureFunctions: values.pure,
  },
  plugins: [withoutDropped, ofTheBundler, modulesOfNode, textsInside, besideTheirs],
  onLog(level, log) {
    // What is imported later by one part is loaded at the start by another.
    if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") throwWarnings(level, log);
  },
};
const started = loadedBy(soon, (await build({ ...input, write: false })).output);
for (const [text, of] of toDrop) if (!dropped.has(text)) throw new Error(`${of} has no ${text} any more.`);
const { output } = await build({
  ...input,
  write: false,
  output: {
    dir: "dist",
    entryFileNames: "[name].js",
    chunkFileNames: `${name}-[hash].js`,
    hashCharacters: "base36",
    codeSplitting: {
      // What they import and nobody uses at the start is no part of it.
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => (started.has(id) ? "start" : null), debugName: "start" }],
    },
    minify: true,
    comments: NO_COMMENTS,
    sourcemap: false,
  },
});
for (const chunk of output) {
  if (chunk.type !== "chunk") throw new Error(`What is ${chunk.fileName}?`);
  const code = brokenLines(chunk.fileName, chunk.code).replace(
    OF_THE_BUNDLER,
    "const$1:$2=process.getBuiltinModule(`$3`);",
  );
  const text = [...licencesFor(chunk.moduleIds), code].join("\n");
  if (chunk.isEntry && Buffer.byteLength(text) > text.length)
    throw new Error(
      `${chunk.fileName} has a character beyond ASCII, so that each start reads twice as much.`,
    );
  writeFileSync(join("dist", chunk.fileName), text);
}

/** The modules that are loaded with these, in files as the bundler parts them: only what is used is a reason to load something. */
function loadedBy(starts: ReadonlySet<string>, parted: readonly (OutputChunk | OutputAsset)[]): Set<string> {
  const chunks = new Map(parted.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each]] : [])));
  const loaded = new Set(
    [...chunks.values()].filter(({ moduleIds }) => moduleIds.some((id) => starts.has(id))),
  );
  for (const { imports } of loaded)
    for (const file of imports) if (chunks.has(file)) loaded.add(chunks.get(file)!);
  return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
