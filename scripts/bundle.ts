// Makes one file of each entry point of a package, run in its folder after tsc: a hundred small
// modules cost tens of milliseconds to load one by one. Types stay as tsc wrote them, as far as an entry point leads to them.
//
// node ../../scripts/bundle.ts [--with PACKAGE] [--apart PROGRAM] [worker …]
//   worker  a source file that is started by itself (a thread, a process), relative to src/
//   --with  a dependency to put into the bundle with all its entry points, and into the types; its licence comes along
//   --apart  a source file that bundle-program.ts makes a program of, relative to src/: it is loaded from there
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "rolldown";
import { bundleDeclarations } from "./lib/declarations.ts";
import { readLicenceText } from "./lib/licence-text.ts";
import { NO_COMMENTS, throwWarnings } from "./lib/rolldown-options.ts";

interface Manifest {
  exports: Record<string, string | { default: string; types: string }>;
  name: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  bin?: Record<string, string>;
  publishConfig?: { bin?: Record<string, string> };
}

const { values, positionals: workers } = parseArgs({
  options: {
    with: { type: "string", multiple: true, default: [] },
    apart: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const entries = Object.values(manifest.exports).filter((entry) => typeof entry !== "string");
const fromExports = entries.map((entry) => entry.default);
const [exported, commands] = [fromExports, Object.values(manifest.publishConfig?.bin ?? {})].map((paths) =>
  Object.fromEntries(
    paths
      .map((path) => path.replace(/^\.\/dist\/(.+)\.js$/, "$1"))
      .map((name) => [name, sourceOf(`${name}.ts`)]),
  ),
) as [Record<string, string>, Record<string, string>];
// Workers are next to the chunks that start them.
const started = Object.fromEntries(workers.map((path) => [basename(path, ".ts"), sourceOf(path)]));
const bundled = new Set(values.with);
const apart = new Map(
  values.apart.map((path) => [sourceOf(path), resolve("dist", basename(path, ".ts") + ".cjs")]),
);
const installed = new Set([
  manifest.name,
  ...Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  }),
]);
const licences = new Map(
  values.with.map((name) => [name, readLicenceText(name, join("node_modules", name))]),
);

for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join("dist", file));
}
await build({
  input: { ...exported, ...commands, ...started },
  platform: "node",
  preserveEntrySignatures: "strict",
  external: isInstalled,
  transform: { target: "node22" },
  plugins: [
    {
      name: "apart",
      resolveId: {
        filter: { id: /^\.\.?\// },
        handler(id, importer) {
          const program = importer && apart.get(resolve(dirname(importer), id));
          return program ? { id: program, external: "relative" } : null;
        },
      },
    },
  ],
  onLog: throwWarnings,
  output: {
    dir: "dist",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[hash].js",
    hashCharacters: "base36",
    comments: NO_COMMENTS,
    sourcemap: true,
    banner: ({ moduleIds }) =>
      [...licences]
        .filter(([name]) => moduleIds.some((id) => id.includes(`/node_modules/${name}/`)))
        .map(([, text]) => text)
        .join("\n"),
  },
});
for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".js.map")) continue;
  const path = join("dist", file);
  const map = JSON.parse(readFileSync(path, "utf8")) as { mappings: string; sourcesContent?: unknown };
  // Public sources need only line numbers, and would take a third of the installed size.
  delete map.sourcesContent;
  writeFileSync(path, JSON.stringify({ ...map, names: [], mappings: mappingsOfLines(map.mappings) }));
}
await bundleDeclarations({
  entries: entries.map(({ types }) => resolve(types)),
  folder: process.cwd(),
  bundled: values.with,
  licences: [...licences.values()].join("\n"),
});

/** Drops columns of mappings, two thirds of the length. */
function mappingsOfLines(mappings: string): string {
  const firstOf = (line: SourceMapSegment[]) =>
    line
      .flatMap((segment) => (segment.length === 1 ? [] : [segment.slice(0, 4) as SourceMapSegment]))
      .slice(0, 1);
  return encode(decode(mappings).map(firstOf));
}

/** @throws for a package that is not installed here; the bundler also needs its own helpers for newer syntax */
function isInstalled(id: string, importer: string | undefined): boolean {
  if (importer === undefined || !/^(?!node:)[^./\0]/.test(id)) return false;
  const [own] = /^(?:@[^/]+\/)?[^/]+/.exec(id)!;
  if (bundled.has(own)) return false;
  if (!installed.has(own))
    throw new Error(`${importer} imports ${own}, which is no dependency of this package.`);
  return true;
}

function sourceOf(path: string): string {
  return resolve("src", path);
}
