import { defineTool, requireKnownOptions } from "@haft/plugin-sdk";
import type { ChangeToolOptions } from "../changes/tool-options.ts";
import { MAX_ARGUMENT_CHARACTERS, PATH_ALIASES } from "../defaults.ts";
import { needsConsent } from "../paths/planned-paths.ts";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { writeSchema, type WriteToolDetails } from "./write-schema.ts";

const DESCRIPTION =
  "Create a file, with missing folders, or replace all of its content. To change a part, use edit.";

const work = lazyModule(async () => (await import("./run-write.ts")).writeWork);

/** The `write` tool: one file, whole content, atomically. */
export function createWriteTool(options: ChangeToolOptions = {}) {
  requireKnownOptions<ChangeToolOptions>("createWriteTool", options, {
    workspace: true,
    journal: true,
    durable: true,
    maxFileBytes: true,
    workspaceOnly: true,
  });
  return defineTool<typeof writeSchema, WriteToolDetails>({
    name: "write",
    label: "Write",
    description: DESCRIPTION,
    parameters: writeSchema,
    effects: ["write"],
    aliases: { path: PATH_ALIASES },
    otherNames: { host_workspace_write: { target: "host" }, sandboxed_write: { target: "sandbox" } },
    groups: ["fs"],
    maxArgumentCharacters: MAX_ARGUMENT_CHARACTERS,
    wantsPlan({ path }, context) {
      return needsConsent(options.workspace ?? context.workspace, [{ path }]);
    },
    ...createLazyTool(work, options),
  });
}
