// Replaces dist/type.js, which loads TypeBox module by module, with one file that contains it.
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const typebox = dirname(createRequire(import.meta.url).resolve("@sinclair/typebox/package.json"));
const license = readFileSync(join(typebox, "license"), "utf8");

await build({
  entryPoints: [join(root, "src/type.ts")],
  outfile: join(root, "dist/type.js"),
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  platform: "node",
  minifySyntax: true,
  banner: { js: `/*! Contains TypeBox.\n${license}*/` },
});
