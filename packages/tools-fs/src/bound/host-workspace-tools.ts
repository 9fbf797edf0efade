import { checkOptions, optionsSchema } from "@haft/core/internal";
import { bindTools, type BoundTools } from "@haft/core/kernel";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { createEditTool } from "../edit/edit-tool.ts";
import { createWriteTool } from "../write/write-tool.ts";
import { CHANGES, checkJournal } from "./change-options.ts";
import { hostFolder } from "./host-folder.ts";

const OPTIONS = /* @__PURE__ */ optionsSchema<Omit<ChangeToolOptions, "workspace">>({
  ...CHANGES,
  workspaceOnly: { type: "boolean", description: "Whether paths outside of the folder are refused." },
});

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
  check("createHostWorkspaceWriteTool", options);
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
  check("createHostWorkspaceEditTool", options);
  const workspaceOnly = options.workspaceOnly ?? true;
  const edit = createEditTool({ ...options, workspaceOnly });
  return bindTools(
    { edit },
    { workspace: hostFolder("createHostWorkspaceEditTool", { root, workspaceOnly }) },
  ).tools.edit;
}

function check(caller: string, options: Omit<ChangeToolOptions, "workspace">): void {
  checkOptions(caller, options, OPTIONS);
  checkJournal(caller, options.journal);
}
