import { defineTool, type Tool, requireKnownOptions } from "@haft/plugin-sdk";
import { bashSchema, type BashToolDetails, type BashToolOptions } from "./bash-schema.ts";

const load = () => import("./run-bash.ts");

/** The `bash` tool: runs a script to its end. A script that fails is an error with its output and exit code. */
export function createBashTool(options: BashToolOptions = {}): Tool<typeof bashSchema, BashToolDetails> {
  requireKnownOptions<BashToolOptions>("createBashTool", options, { scopeKey: true });
  return defineTool<typeof bashSchema, BashToolDetails>({
    name: "bash",
    label: "Bash",
    description:
      "Run a bash script in the workspace to its end. Answers the end of its output; an exit code other than 0 is an error.",
    parameters: bashSchema,
    effects: ["execute"],
    aliases: { script: ["command", "cmd"], timeout: ["timeoutSeconds"], workdir: ["cwd"] },
    groups: ["runtime"],
    progress: { volatileDetails: ["durationMs", "sessionId", "fullOutputPath"] },
    async plan(params, { workspace }) {
      const { planBash } = await load();
      return planBash(params, workspace);
    },
    async execute(_toolCallId, params, signal, onUpdate, context) {
      const { runBash } = await load();
      return runBash(params, { signal, onUpdate, context, options });
    },
  });
}
