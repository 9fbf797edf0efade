import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { type BashToolOptions, createBashTool } from "./bash/bash-tool.ts";
import { createExecTool, type ExecToolOptions } from "./exec/exec-tool.ts";
import { createProcessTool, type ProcessToolOptions } from "./process/process-tool.ts";

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

/** The command tools with their defaults. */
export default createExecPlugin();
