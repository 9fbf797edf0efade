// Makes a program that starts often as small as it can be, run in the package's folder after bundle.ts: a starter, and one file of all
// that it decides by. It is loaded with the code that earlier runs compiled, so what a run does not use costs it little.
// What it imports now and then is in files that bundle.ts made. It is made of the sources of all packages, so that nothing
// comes along that the program does not use, and of CommonJS modules, which start in less time than others.
//
// node ../../scripts/bundle-alone.ts STARTER PROGRAM LATER
//   STARTER  the source file of what is started and loads the program, relative to src/
//   PROGRAM  its source file, relative to src/
//   LATER    the source file of what it imports later, relative to src/; a worker of bundle.ts
import { basename, resolve } from "node:path";
import { build, type Plugin } from "rolldown";
import { decidesOnly, madeElsewhere, takenAtOnce, withoutMeanings } from "./lib/decides-only.ts";
import { licencesFor } from "./lib/licence-of.ts";
import { modulesOfNode } from "./lib/modules-of-node.ts";
import { NO_COMMENTS, throwWarnings } from "./lib/rolldown-options.ts";
import { textsInside } from "./lib/texts-inside.ts";

const [starter = "", program = "", later = ""] = process.argv.slice(2);

await bundle(starter, [madeElsewhere(program, ".cjs")]);
await bundle(program, [madeElsewhere(later, ".js"), takenAtOnce(later), decidesOnly, withoutMeanings]);

async function bundle(file: string, plugins: readonly Plugin[]): Promise<void> {
  await build({
    input: { [basename(file).replace(/\.c?ts$/, "")]: resolve("src", file) },
    platform: "node",
    resolve: { conditionNames: ["@haft/source", "node", "import", "default"] },
    transform: { target: "node22" },
    plugins: [...plugins, modulesOfNode, textsInside],
    onLog: throwWarnings,
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      codeSplitting: false,
      dynamicImportInCjs: file === program,
      minify: true,
      comments: NO_COMMENTS,
      banner: ({ moduleIds }) => licencesFor(moduleIds).join("\n"),
      sourcemap: false,
    },
  });
}
