// Bundles the runner into one file for sandboxes and other machines with Node 20.
//
// node scripts/bundle-runner.ts FILE
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { throwWarnings } from "./lib/rolldown-options.ts";

const root = dirname(import.meta.dirname);

/** The code runs as a script, a module and through `eval`, because its use is unknown. */
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

/** Features missing in Node 20. */
const FOR_OLDER_NODE = `process.getBuiltinModule??=typeof require==="function"?require:undefined;
Promise.withResolvers??=function(){let resolve,reject;const promise=new this((a,b)=>{resolve=a;reject=b});return{promise,resolve,reject}};
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(process.argv[2]!, await bundleRunner());
}
