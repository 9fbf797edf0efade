import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import type { BashToolOptions } from "./bash/bash-schema.ts";
import { createBashTool } from "./bash/bash-tool.ts";
import type { ExecToolOptions } from "./exec/exec-schema.ts";
import { createExecTool } from "./exec/exec-tool.ts";
import type { ProcessToolOptions } from "./process/process-schema.ts";
import { createProcessTool } from "./process/process-tool.ts";

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
export default /* @__PURE__ */ createExecPlugin();
