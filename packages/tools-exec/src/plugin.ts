import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import type { BashToolOptions } from "./bash.ts";
import { createBashTool } from "./bash.ts";
import type { ExecToolOptions } from "./exec.ts";
import { createExecTool } from "./exec.ts";
import type { ProcessToolOptions } from "./process.ts";
import { createProcessTool } from "./process.ts";

/** Options of its tools. */
export interface ExecPluginOptions extends ExecToolOptions, ProcessToolOptions, BashToolOptions {}

/** The command tools as a plugin. */
export function createExecPlugin(options: ExecPluginOptions = {}): Plugin {
  return definePlugin({
    id: "commands",
    name: "Commands",
    tools: [createExecTool(options), createProcessTool(options), createBashTool(options)],
  });
}

export default createExecPlugin();
