import type { Workspace } from "@haft/plugin-sdk";
import type { EditToolOptions } from "../edit/edit-tool.ts";
import { createEditTool } from "../edit/edit-tool.ts";
import type { WriteToolOptions } from "../write/write-tool.ts";
import { createWriteTool } from "../write/write-tool.ts";

/** As the tool's own options; the workspace is the host folder the factory is given. */
export interface HostWorkspaceWriteToolOptions extends Omit<WriteToolOptions, "workspace"> {}

/** As the tool's own options; the workspace is the host folder the factory is given. */
export interface HostWorkspaceEditToolOptions extends Omit<EditToolOptions, "workspace"> {}

/**
 * The `write` tool bound to a folder of the host, whatever workspace the calling session has.
 *
 * @param root The folder. Nothing outside can be reached unless `workspaceOnly` is `false`.
 */
export function createHostWorkspaceWriteTool(
  root: string,
  options: HostWorkspaceWriteToolOptions = {},
): ReturnType<typeof createWriteTool> {
  const workspaceOnly = options.workspaceOnly ?? true;
  const workspace = openOnce(root, workspaceOnly);
  return {
    ...createWriteTool(options),
    async wantsPlan(...call) {
      const bound = createWriteTool({ ...options, workspaceOnly, workspace: await workspace() });
      return (await bound.wantsPlan?.(...call)) ?? false;
    },
    async plan(...call) {
      const bound = createWriteTool({ ...options, workspaceOnly, workspace: await workspace() });
      return await bound.plan?.(...call);
    },
    async execute(...call) {
      const bound = createWriteTool({ ...options, workspaceOnly, workspace: await workspace() });
      return await bound.execute(...call);
    },
  };
}

/**
 * The `edit` tool bound to a folder of the host, whatever workspace the calling session has.
 *
 * @param root The folder. Nothing outside can be reached unless `workspaceOnly` is `false`.
 */
export function createHostWorkspaceEditTool(
  root: string,
  options: HostWorkspaceEditToolOptions = {},
): ReturnType<typeof createEditTool> {
  const workspaceOnly = options.workspaceOnly ?? true;
  const workspace = openOnce(root, workspaceOnly);
  return {
    ...createEditTool(options),
    async wantsPlan(...call) {
      const bound = createEditTool({ ...options, workspaceOnly, workspace: await workspace() });
      return (await bound.wantsPlan?.(...call)) ?? false;
    },
    async plan(...call) {
      const bound = createEditTool({ ...options, workspaceOnly, workspace: await workspace() });
      return await bound.plan?.(...call);
    },
    async execute(...call) {
      const bound = createEditTool({ ...options, workspaceOnly, workspace: await workspace() });
      return await bound.execute(...call);
    },
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
