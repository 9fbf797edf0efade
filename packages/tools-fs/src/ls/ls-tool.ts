import { defineTool, type Workspace, requireKnownOptions } from "@haft/plugin-sdk";
import { FOLDER_ALIASES } from "../defaults.ts";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { lsSchema, type LsToolDetails } from "./ls-schema.ts";

const work = lazyModule(async () => (await import("./run-ls.ts")).lsWork);

/**
 * The `ls` tool: the names in one directory.
 *
 * @param options `workspace`: where to look; the calling session's by default
 */
export function createLsTool(options: { workspace?: Workspace } = {}) {
  requireKnownOptions<typeof options>("createLsTool", options, { workspace: true });
  return defineTool<typeof lsSchema, LsToolDetails>({
    name: "ls",
    label: "List",
    description:
      "List a directory: a name per line, directories end in /, links in @. What ignore files hide is left out.",
    parameters: lsSchema,
    effects: ["read"],
    aliases: { path: FOLDER_ALIASES },
    groups: ["fs"],
    ...createLazyTool(work, options),
  });
}
