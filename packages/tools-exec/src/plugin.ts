import { definePlugin, type Plugin, withoutUndefined } from "@haft/plugin-sdk";
import { type BashToolOptions, createBashTool } from "./bash/bash.ts";
import type { ExecToolOptions } from "./exec/exec-types.ts";
import { createExecTool } from "./exec/exec.ts";
import { createProcessTool, type ProcessToolOptions } from "./process/process.ts";

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
