import { bindTools, type BoundTools } from "@haft/core/kernel";
import { requireKnownOptions } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { BOUND_CHANGES } from "../defaults.ts";
import { createEditTool } from "../edit/edit.ts";
import { createWriteTool } from "../write/write.ts";
import { hostFolder } from "./host-folder.ts";

/**
 * Creates the `write` tool for a folder of the host, independent of the calling session's workspace.
 *
 * @param root Files outside are accessible only if `workspaceOnly` is `false`.
 * @throws `INVALID_OPTIONS`
 *
 * @example
 * ```ts run
 * import { createHostWorkspaceWriteTool } from "@haft/tools-fs";
 * const write = createHostWorkspaceWriteTool(process.cwd(), { workspaceOnly: true });
 * const { receipt } = await write.call({ path: "todo.md", content: "- Test the tools\n" });
 * receipt; // => "committed"
 * ```
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
 * Creates the `edit` tool for a folder of the host, independent of the calling session's workspace.
 *
 * @param root Files outside are accessible only if `workspaceOnly` is `false`.
 * @throws `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { createHostWorkspaceEditTool } from "@haft/tools-fs";
 * const edit = createHostWorkspaceEditTool("/srv/project", { durable: true });
 * const edits = [{ oldText: "localhost", newText: "0.0.0.0" }];
 * const outcome = await edit.call({ path: "server.json", edits });
 * if (outcome.kind === "error") console.error(outcome.code);
 * ```
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
