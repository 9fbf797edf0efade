// Makes the runner one file that needs nothing but Node 20: for sandboxes and other machines.
//
// node scripts/bundle-runner.ts FILE
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { throwWarnings } from "./lib/rolldown-options.ts";

const root = dirname(import.meta.dirname);

/** Runs as a script, as a module and through `eval`: no file says which it is where it ends up. */
export async function bundleRunner(): Promise<string> {
  const { output } = await build({
    input: join(root, "packages/workspace/src/run/runner-main.ts"),
    write: false,
    platform: "node",
    external: ["@lydell/node-pty"],
    resolve: { conditionNames: ["@haft/source", "import"] },
    transform: { target: "node20" },
    onLog: throwWarnings,
    output: {
      format: "iife",
      codeSplitting: false,
      comments: false,
      banner: FOR_OLDER_NODE,
      globals: (id) => `process.getBuiltinModule(${JSON.stringify(id)})`,
    },
  });
  return output[0].code;
}

/** What Node 20 does not have yet. */
const FOR_OLDER_NODE = `process.getBuiltinModule??=typeof require==="function"?require:undefined;
Promise.withResolvers??=function(){let resolve,reject;const promise=new this((a,b)=>{resolve=a;reject=b});return{promise,resolve,reject}};
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(process.argv[2]!, await bundleRunner());
}
