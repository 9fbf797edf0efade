// Makes one file of a program of a package with all that it loads at its start, run in the package's folder after bundle.ts. What
// it imports later stays in files of their own, which bundle.ts made.
//
// node ../../scripts/bundle-alone.ts PROGRAM LATER
//   PROGRAM  its source file, relative to src/
//   LATER    the source file of what it imports later, relative to src/; a worker of bundle.ts
import { basename, resolve } from "node:path";
import { build } from "rolldown";
import { modulesOfNode } from "./lib/modules-of-node.ts";
import { NO_COMMENTS, throwWarnings } from "./lib/rolldown-options.ts";
import { textsInside } from "./lib/texts-inside.ts";

const [program = "", later = ""] = process.argv.slice(2);
const laterFile = basename(later);

await build({
  input: { [basename(program, ".ts")]: resolve("src", program) },
  platform: "node",
  resolve: { conditionNames: ["node", "import", "default"] },
  transform: { target: "node22" },
  plugins: [
    {
      name: "later",
      resolveId: {
        filter: { id: /^\./ },
        handler: (id) =>
          basename(id) === laterFile
            ? { id: `./${laterFile.replace(/\.ts$/, ".js")}`, external: true }
            : null,
      },
    },
    modulesOfNode,
    textsInside,
  ],
  onLog: throwWarnings,
  output: {
    dir: "dist",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-decides.js",
    codeSplitting: true,
    minify: true,
    comments: NO_COMMENTS,
    sourcemap: false,
  },
});
