import { defineTool } from "@haft/plugin-sdk";
import type { Workspace } from "@haft/plugin-sdk";
import { lazily } from "../scheduling/lazily.ts";
import { findSchema } from "./find-schema.ts";
import type { FindToolDetails } from "./find-schema.ts";

const work = lazily(() => import("./run-find.ts"));

/**
 * The `find` tool: paths that match a glob.
 *
 * @param options `workspace`: where to look; the calling session's by default
 */
export function createFindTool(options: { workspace?: Workspace } = {}) {
  return defineTool<typeof findSchema, FindToolDetails>({
    name: "find",
    label: "Find",
    description:
      "Find files by name with a glob. What .gitignore hides is left out, and .git always is; " +
      "links are found but not followed. Paths come in order, page by page.",
    parameters: findSchema,
    effects: ["read"],
    aliases: { pattern: ["glob", "name"], path: ["directory", "dir", "folder"] },
    groups: ["fs"],
    async plan(params, context) {
      return (await work()).planFind(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await work()).runFind(params, signal, context, options.workspace);
    },
  });
}
