import { definePlugin, type Plugin, withoutUndefined } from "@haft/plugin-sdk";
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
  const { cleanupMs, inputWaitIdleMs, ...ofExec } = options;
  const { scopeKey } = ofExec;
  return definePlugin({
    id: "commands",
    name: "Commands",
    tools: [
      createExecTool(ofExec),
      createProcessTool(withoutUndefined({ cleanupMs, inputWaitIdleMs, scopeKey })),
      createBashTool(withoutUndefined({ scopeKey })),
    ],
  });
}

/** The command tools with their defaults. */
export default /* @__PURE__ */ createExecPlugin();
