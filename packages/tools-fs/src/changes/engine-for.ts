import type { ToolContext } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/plugin-sdk";
import { agreedWorkspace } from "../paths/planned-paths.ts";
import { createChangeEngine } from "./change-engine.ts";
import { workspaceEngineOptions } from "./lazy-engine.ts";
import type { ChangeEngine } from "./plan/change-contract.ts";
import type { ChangeToolOptions } from "./tool-options.ts";

/** What makes the changes of one call. */
export function engineFor(
  options: ChangeToolOptions,
  context: Pick<ToolContext, "workspace" | "consent">,
): ChangeEngine {
  const { journal, durable, maxFileBytes } = options;
  return createChangeEngine(
    withoutUndefined({
      ...workspaceEngineOptions(agreedWorkspace(options.workspace, context)),
      journal,
      durable,
      maxFileBytes,
    }),
  );
}

/**
 * What `details.workspaceOnly` says: as the options do, and by the name of the seeds for the host's tools always.
 */
export function isWorkspaceOnly(options: ChangeToolOptions, context: ToolContext): boolean | undefined {
  if (options.workspaceOnly !== undefined) return options.workspaceOnly;
  // A tool that brings its own workspace is also called without a session.
  const { toolName } = (context ?? {}) as Partial<ToolContext>;
  if (!toolName?.startsWith("host_workspace_")) return undefined;
  return (options.workspace ?? context.workspace).describe().boundary !== "none";
}
