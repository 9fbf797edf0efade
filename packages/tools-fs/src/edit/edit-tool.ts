import { defineTool, requireKnownOptions } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { MAX_ARGUMENT_CHARACTERS, PATH_ALIASES } from "../defaults.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { editSchema, type EditToolDetails } from "./edit-schema.ts";

const DESCRIPTION =
  "Replace oldText by newText (empty removes), or several pairs as edits, all or none. Copy oldText exactly, without line " +
  "numbers; it must stand there once, or replaceAll be set.";

const work = lazyModule(async () => (await import("./run-edit.ts")).editWork);

/** The `edit` tool: finds text, replaces it, leaves every other byte alone. */
export function createEditTool(options: ChangeToolOptions = {}) {
  requireKnownOptions<ChangeToolOptions>("createEditTool", options, {
    workspace: true,
    journal: true,
    durable: true,
    maxFileBytes: true,
    workspaceOnly: true,
  });
  return defineTool<typeof editSchema, EditToolDetails>({
    name: "edit",
    label: "Edit",
    description: DESCRIPTION,
    parameters: editSchema,
    effects: ["read", "write"],
    aliases: {
      path: PATH_ALIASES,
      oldText: ["old_string", "old_text", "oldString"],
      newText: ["new_string", "new_text", "newString"],
      replaceAll: ["replace_all"],
      expectedCount: ["expected_count", "expected_replacements"],
    },
    otherNames: { host_workspace_edit: { target: "host" }, sandboxed_edit: { target: "sandbox" } },
    groups: ["fs"],
    maxArgumentCharacters: MAX_ARGUMENT_CHARACTERS,
    wantsPlan({ path }, context) {
      return needsConsent(options.workspace ?? context.workspace, [{ path }]);
    },
    ...createLazyTool(work, options),
  });
}
