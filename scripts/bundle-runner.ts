// Makes the runner one file that needs nothing but Node 20: for sandboxes and other machines.
//
// node scripts/bundle-runner.ts FILE
import { build } from "esbuild";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LINE_LIMIT } from "./lib/line-limit.ts";
import { modulesOfNode } from "./lib/modules-of-node.ts";

const root = dirname(import.meta.dirname);

/** Runs as a script, as a module and through `eval`: no file says which it is where it ends up. */
export async function bundleRunner(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/workspace/src/run/runner-main.ts")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "node",
    target: "node20",
    conditions: ["@haft/source"],
    external: ["@lydell/node-pty"],
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: LINE_LIMIT,
    legalComments: "none",
    logLevel: "error",
    banner: { js: FOR_OLDER_NODE },
    plugins: [modulesOfNode],
  });
  return outputFiles[0]!.text;
}

/** What Node 20 does not have yet. */
const FOR_OLDER_NODE = `process.getBuiltinModule??=typeof require==="function"?require:undefined;
Promise.withResolvers??=function(){let resolve,reject;const promise=new this((a,b)=>{resolve=a;reject=b});return{promise,resolve,reject}};
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(process.argv[2]!, await bundleRunner());
}
