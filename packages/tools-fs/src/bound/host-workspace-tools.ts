import { bindTools, type BoundTools } from "@haft/core/kernel";
import { requireKnownOptions } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { BOUND_CHANGES } from "../defaults.ts";
import { createEditTool } from "../edit/edit.ts";
import { createWriteTool } from "../write/write.ts";
import { hostFolder } from "./host-folder.ts";

/**
 * The `write` tool bound to a folder of the host, whatever workspace the calling session has, if it is a session that calls.
 *
 * @param root The folder. Nothing outside can be reached unless `workspaceOnly` is `false`.
 * @throws HaftError `INVALID_OPTIONS`
 */
export function createHostWorkspaceWriteTool(
  root: string,
  options: Omit<ChangeToolOptions, "workspace"> = {},
): BoundTools<{ write: ReturnType<typeof createWriteTool> }>["write"] {
  requireKnownOptions("createHostWorkspaceWriteTool", options, BOUND_CHANGES);
  const workspaceOnly = options.workspaceOnly ?? true;
  const write = createWriteTool({ ...options, workspaceOnly });
  return bindTools(
    { write },
    { workspace: hostFolder("createHostWorkspaceWriteTool", { root, workspaceOnly }) },
  ).tools.write;
}

/**
 * The `edit` tool bound to a folder of the host, whatever workspace the calling session has, if it is a session that calls.
 *
 * @param root The folder. Nothing outside can be reached unless `workspaceOnly` is `false`.
 * @throws HaftError `INVALID_OPTIONS`
 */
export function createHostWorkspaceEditTool(
  root: string,
  options: Omit<ChangeToolOptions, "workspace"> = {},
): BoundTools<{ edit: ReturnType<typeof createEditTool> }>["edit"] {
  requireKnownOptions("createHostWorkspaceEditTool", options, BOUND_CHANGES);
  const workspaceOnly = options.workspaceOnly ?? true;
  const edit = createEditTool({ ...options, workspaceOnly });
  return bindTools(
    { edit },
    { workspace: hostFolder("createHostWorkspaceEditTool", { root, workspaceOnly }) },
  ).tools.edit;
}
