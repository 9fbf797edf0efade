// Makes one file of each entry point of a package, run in its folder after tsc: a hundred small
// modules cost tens of milliseconds to load one by one. Types stay as tsc wrote them.
//
// node ../../scripts/bundle.ts [--with PACKAGE] [worker …]
//   worker  a source file that is started by itself (a thread, a process), relative to src/
//   --with  a dependency to put into the bundle; its licence comes along
import { build as bundle } from "esbuild";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { LINE_LIMIT } from "./lib/line-limit.ts";
import { modulesOfNode } from "./lib/modules-of-node.ts";
import { textsInside } from "./lib/texts-inside.ts";

interface Manifest {
  exports: Record<string, string | { default: string }>;
  bin?: Record<string, string>;
  publishConfig?: { bin?: Record<string, string> };
}

const { values, positionals: workers } = parseArgs({
  options: { with: { type: "string", multiple: true, default: [] } },
  allowPositionals: true,
});
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const fromExports = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === "string" ? [] : [entry.default],
);
const fromBin = Object.values(manifest.publishConfig?.bin ?? {});
const names = [...fromExports, ...fromBin].map((path) => path.replace(/^\.\/dist\/(.+)\.js$/, "$1"));

// Workers stand at the top, where the chunks are that start them.
const entryPoints = Object.fromEntries([
  ...names.map((name) => [name, `src/${name}.ts`]),
  ...workers.map((path) => [basename(path, ".ts"), `src/${path}`]),
]) as Record<string, string>;
const licences = values.with.map(
  (name) => `/*! Contains ${name}.\n${readFileSync(licenceOf(name), "utf8")}*/`,
);
const bundled = new Set(values.with);

for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join("dist", file));
}
await bundle({
  entryPoints,
  outdir: "dist",
  bundle: true,
  splitting: true,
  chunkNames: "chunk-[hash]",
  format: "esm",
  platform: "node",
  target: "node22",
  sourcemap: "linked",
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: LINE_LIMIT,
  ...(licences.length > 0 ? { banner: { js: licences.join("\n") } } : {}),
  plugins: [
    modulesOfNode,
    textsInside,
    {
      name: "dependencies-stay-outside",
      setup(build) {
        build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
          const isOwn = kind === "entry-point" || bundled.has(path);
          return isOwn ? undefined : { path, external: true };
        });
      },
    },
  ],
});

function licenceOf(name: string): string {
  const folder = join("node_modules", name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return join(folder, file);
}
