import { resolveFolders } from "@haft/core/internal";
import { bindTools, type BoundTool, type BoundTools } from "@haft/core/kernel";
import { type ModelFacts, requireKnownOptions, withoutUndefined } from "@haft/plugin-sdk";
import type { HostProcessesOptions, HostWorkspaceOptions } from "@haft/workspace";
import type { HostTarget } from "@haft/workspace/internal/places";
import { createBashTool } from "../bash/bash.ts";
import { createExecTool, EXEC_OPTIONS } from "../exec/exec.ts";
import type { ExecPluginOptions } from "../plugin.ts";
import { createProcessTool } from "../process/process.ts";

/** Where commands start, and how. */
export interface ExecToolsOptions extends ExecPluginOptions, Pick<HostWorkspaceOptions, "root" | "roots"> {
  /** Which variables commands get: a list of harmless ones by default, and nothing else of this process. */
  environment?: HostProcessesOptions["environment"];
  /** What is known of the model that reads the results, if one does: how much one result holds depends on it. */
  model?: Partial<ModelFacts>;
}

/** The command tools of one folder, each to be called by itself. */
export interface ExecTools extends BoundTools<{
  exec: ReturnType<typeof createExecTool>;
  process: ReturnType<typeof createProcessTool>;
  bash: ReturnType<typeof createBashTool>;
}> {
  /** All of them, for frameworks that take a list. */
  readonly all: readonly BoundTool[];
  /**
   * Ends every command that still runs, with what it has started. Later calls are answered `SESSION_CLOSED`. While no
   * command runs, this program can end without it.
   */
  close(): Promise<void>;
}

/**
 * The command tools, bound to a folder of this machine and ready to be called. Nothing is started before the first call.
 *
 * No policy decides about commands and nothing contains them: what they may do is what this user may. A call that wishes to
 * be asked about (`ask`) or checked (`security`) is refused, never run unasked. For walls take `createSandboxedTools` of `haft`.
 *
 * A folder that cannot be opened is the outcome of the calls: `ROOT_INVALID`.
 *
 * @throws HaftError `INVALID_OPTIONS`
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
  const { root, roots, environment, model, cleanupMs, inputWaitIdleMs, ...ofExec } = resolveFolders(given);
  const { scopeKey } = ofExec;
  let opened: Promise<HostTarget> | undefined;
  const open = async () => {
    const { openHostTarget } = await import("@haft/workspace/internal/places");
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
      // What could not be opened was the outcome of the calls.
      close: async () => (await opened?.catch(() => undefined))?.close(),
    }),
  );
  return { ...tools, all: Object.values(tools), close };
}
