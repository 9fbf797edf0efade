import { resolveFolders } from "@haft/core/kernel";
import { bindTools, type BoundTool, type BoundTools } from "@haft/core/kernel";
import { type ModelFacts, requireKnownOptions } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { HostProcessesOptions, HostWorkspaceOptions } from "@haft/workspace";
import type { HostTarget } from "@haft/workspace";
import { createBashTool } from "../bash/bash.ts";
import { createExecTool, EXEC_OPTIONS } from "../exec/exec.ts";
import type { ExecPluginOptions } from "../plugin.ts";
import { createProcessTool } from "../process/process.ts";

/**
 * Configures {@link createExecTools}.
 *
 * @example
 * ```ts
 * import type { ExecToolsOptions } from "@haft/tools-exec";
 * const options: ExecToolsOptions = {
 *   root: "/srv/project",
 *   environment: { inherit: ["JAVA_HOME"], set: { CI: "1" } },
 *   timeoutSec: 300,
 *   onExit: ({ name, status }) => console.log(`${name}: ${status}`),
 * };
 * ```
 */
export interface ExecToolsOptions extends ExecPluginOptions, Pick<HostWorkspaceOptions, "root" | "roots"> {
  /** Variables of commands. Default: an allowlist of variables of this process. */
  environment?: HostProcessesOptions["environment"];
  /** The model that reads the results. It determines their size. */
  model?: Partial<ModelFacts>;
}

/**
 * Command tools of one folder for direct calls.
 *
 * @example
 * ```ts
 * import { createExecTools, type ExecTools } from "@haft/tools-exec";
 * const tools: ExecTools = createExecTools({ root: "/srv/project" });
 * const started = await tools.exec.call({ command: "npm run dev", background: true });
 * const listed = await tools.process.call({ action: "list" });
 * await tools.close();
 * ```
 */
export interface ExecTools extends BoundTools<{
  exec: ReturnType<typeof createExecTool>;
  process: ReturnType<typeof createProcessTool>;
  bash: ReturnType<typeof createBashTool>;
}> {
  /** All tools, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /**
   * Ends running commands and their descendants. Later calls have the outcome `SESSION_CLOSED`. A program without running commands can exit
   * without `close`.
   */
  close(): Promise<void>;
}

/**
 * Creates the command tools for a folder of this machine, for direct calls. Nothing starts before the first call.
 *
 * Commands have all rights of this user, without policy and containment. A call that requires approval (`ask`) or a check (`security`) is
 * refused. For isolation use `createSandboxedTools` of `haft`.
 *
 * If the folder cannot be opened, calls have the outcome `ROOT_INVALID`.
 *
 * @throws `INVALID_OPTIONS`
 *
 * @example
 * ```ts run
 * import { createExecTools } from "@haft/tools-exec";
 * const { bash, close } = createExecTools({ root: process.cwd() });
 * const outcome = await bash.call({ script: "printf 'a\\nb\\n' | wc -l" });
 * outcome.kind; // => "ok"
 * await close();
 * ```
 */
export function createExecTools(given: ExecToolsOptions): ExecTools {
  requireKnownOptions<ExecToolsOptions>("createExecTools", given, {
    ...EXEC_OPTIONS,
    cleanupMs: true,
    inputWaitIdleMs: true,
    root: true,
    roots: true,
    environment: true,
    model: true,
  });
  const { root, roots, environment, model, cleanupMs, inputWaitIdleMs, ...ofExec } = resolveFolders(
    given,
    "createExecTools",
  );
  const { scopeKey } = ofExec;
  let opened: Promise<HostTarget> | undefined;
  const open = async () => {
    const { openHostTarget } = await import("@haft/workspace");
    return openHostTarget(
      "createExecTools",
      withoutUndefined<HostWorkspaceOptions>({ root, roots }),
      withoutUndefined({ environment }),
    );
  };
  const { tools, close } = bindTools(
    {
      exec: createExecTool(ofExec),
      process: createProcessTool(withoutUndefined({ cleanupMs, inputWaitIdleMs, scopeKey })),
      bash: createBashTool(withoutUndefined({ scopeKey })),
    },
    withoutUndefined({
      model,
      workspace: async () => (await (opened ??= open())).workspace(),
      // Calls have already reported a failed opening.
      close: async () => (await opened?.catch(() => undefined))?.close(),
    }),
  );
  return { ...tools, all: Object.values(tools), close };
}
