import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { type BashToolOptions, createBashTool } from "./bash/bash.ts";
import type { ExecToolOptions } from "./exec/exec-types.ts";
import { createExecTool } from "./exec/exec.ts";
import { createProcessTool, type ProcessToolOptions } from "./process/process.ts";

/**
 * Configures {@link createExecPlugin}.
 *
 * @example
 * ```ts
 * import type { ExecPluginOptions } from "@haft/tools-exec/plugin";
 * const options: ExecPluginOptions = { backgroundMs: 5_000, timeoutSec: 600, shell: "sh", cleanupMs: 60_000 };
 * ```
 */
export interface ExecPluginOptions extends ExecToolOptions, ProcessToolOptions, BashToolOptions {}

/**
 * Creates a plugin with the tools `exec`, `process` and `bash`.
 *
 * @example
 * ```ts run
 * import { createExecPlugin } from "@haft/tools-exec/plugin";
 * const commands = createExecPlugin({ timeoutSec: 60, onExit: ({ name, status }) => console.log(name, status) });
 * commands.tools.flatMap(({ names }) => names); // => ["exec", "process", "bash"]
 * ```
 */
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

/** The command tools, with default options. */
export default /* @__PURE__ */ createExecPlugin();
