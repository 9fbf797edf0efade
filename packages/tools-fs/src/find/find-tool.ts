import { defineTool, type Workspace, requireKnownOptions } from "@haft/plugin-sdk";
import { FOLDER_ALIASES } from "../defaults.ts";
import { createLazyTool, lazyModule } from "../scheduling/lazy-tool.ts";
import { findSchema, type FindToolDetails } from "./find-schema.ts";

const work = lazyModule(async () => (await import("./run-find.ts")).findWork);

/**
 * The `find` tool: paths that match a glob.
 *
 * @param options where to look, the calling session's workspace by default, and how long one call may take, in milliseconds,
 *   30,000 by default: its answer says how far it came
 */
export function createFindTool(options: { workspace?: Workspace; lookupMs?: number } = {}) {
  requireKnownOptions<typeof options>("createFindTool", options, { workspace: true, lookupMs: true });
  return defineTool<typeof findSchema, FindToolDetails>({
    name: "find",
    label: "Find",
    description: "Find files by a glob. What ignore files hide is left out; links are not followed.",
    parameters: findSchema,
    effects: ["read"],
    aliases: { pattern: ["glob", "name"], path: FOLDER_ALIASES },
    groups: ["fs"],
    ...createLazyTool(work, options),
  });
}
