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
import { asciiOnly } from "./lib/ascii-only.ts";
import { decidesOnly, madeElsewhere, takenAtOnce, withoutMeanings } from "./lib/decides-only.ts";
import { licencesFor } from "./lib/licence-of.ts";
import { modulesOfNode } from "./lib/modules-of-node.ts";
import { NO_COMMENTS, throwWarnings } from "./lib/rolldown-options.ts";
import { HOOK_BUDGET } from "./lib/size-budget.ts";
import {
  INTERNAL_NAMES,
  namesOfParserAlone,
  numbersOfParser,
  withoutArithmetic,
} from "./lib/smaller-parser.ts";
import { textsInside } from "./lib/texts-inside.ts";

const [starter = "", program = "", later = ""] = process.argv.slice(2);

const bytes = await bundle(starter, [madeElsewhere(program, ".cjs")]);
const more = await bundle(program, [
  madeElsewhere(later, ".js"),
  takenAtOnce(later),
  decidesOnly,
  withoutMeanings,
  withoutArithmetic,
  numbersOfParser,
  namesOfParserAlone,
]);
if (bytes + more > HOOK_BUDGET)
  throw new Error(
    `The starter has ${bytes} bytes and the program ${more}: ${HOOK_BUDGET} at most, together.`,
  );

/** Answers how many bytes it has. */
async function bundle(file: string, plugins: readonly Plugin[]): Promise<number> {
  const { output } = await build({
    input: { [basename(file).replace(/\.c?ts$/, "")]: resolve("src", file) },
    platform: "node",
    resolve: { conditionNames: ["@haft/source", "node", "import", "default"] },
    transform: { target: "node22" },
    plugins: [...plugins, modulesOfNode, textsInside, asciiOnly],
    onLog: throwWarnings,
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].cjs",
      codeSplitting: false,
      dynamicImportInCjs: file === program,
      minify: { compress: true, mangle: true, codegen: true, mangleProps: { include: INTERNAL_NAMES } },
      comments: NO_COMMENTS,
      banner: ({ moduleIds }) => licencesFor(moduleIds).join("\n"),
      sourcemap: false,
    },
  });
  return Buffer.byteLength(output[0].code);
}
