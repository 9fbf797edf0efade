import type { Tool, TSchema, Workspace } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { createEditTool } from "../edit/edit-tool.ts";
import { createWriteTool } from "../write/write-tool.ts";

/**
 * The `write` tool bound to a folder of the host, whatever workspace the calling session has.
 *
 * @param root The folder. Nothing outside can be reached unless `workspaceOnly` is `false`.
 */
export function createHostWorkspaceWriteTool(
  root: string,
  options: Omit<ChangeToolOptions, "workspace"> = {},
): ReturnType<typeof createWriteTool> {
  return inFolder(root, options, createWriteTool);
}

/**
 * The `edit` tool bound to a folder of the host, whatever workspace the calling session has.
 *
 * @param root The folder. Nothing outside can be reached unless `workspaceOnly` is `false`.
 */
export function createHostWorkspaceEditTool(
  root: string,
  options: Omit<ChangeToolOptions, "workspace"> = {},
): ReturnType<typeof createEditTool> {
  return inFolder(root, options, createEditTool);
}

function inFolder<Parameters extends TSchema, Details>(
  root: string,
  options: Omit<ChangeToolOptions, "workspace">,
  create: (options: ChangeToolOptions) => Tool<Parameters, Details>,
): Tool<Parameters, Details> {
  const workspaceOnly = options.workspaceOnly ?? true;
  const workspace = openOnce(root, workspaceOnly);
  const bound = async () => create({ ...options, workspaceOnly, workspace: await workspace() });
  return {
    ...create(options),
    wantsPlan: async (...call) => (await (await bound()).wantsPlan?.(...call)) ?? false,
    plan: async (...call) => (await bound()).plan?.(...call),
    execute: async (...call) => (await bound()).execute(...call),
  };
}

/** Opened by the first call, so that making a tool costs nothing, and again when there is another host. */
function openOnce(root: string, workspaceOnly: boolean): () => Promise<Workspace> {
  let opened: { workspace: Workspace; hosts: number } | undefined;
  return async () => {
    // These factories are the exception to "a tool makes no workspace": being bound to one is what they are for.
    // oxlint-disable-next-line no-restricted-imports
    const { createHostWorkspace } = await import("@haft/workspace");
    const { hostGuards } = await import("@haft/workspace/internal/system");
    const { count, ...guards } = hostGuards();
    if (opened?.hosts !== count)
      opened = { workspace: createHostWorkspace({ root, workspaceOnly, ...guards }), hosts: count };
    return opened.workspace;
  };
}
