import { defineTool } from "@haft/plugin-sdk";
import type { Workspace } from "@haft/plugin-sdk";
import { lazily } from "../scheduling/lazily.ts";
import { lsSchema } from "./ls-schema.ts";
import type { LsToolDetails } from "./ls-schema.ts";

const work = lazily(() => import("./run-ls.ts"));

/**
 * The `ls` tool: the names in one directory.
 *
 * @param options `workspace`: where to look; the calling session's by default
 */
export function createLsTool(options: { workspace?: Workspace } = {}) {
  return defineTool<typeof lsSchema, LsToolDetails>({
    name: "ls",
    label: "List",
    description:
      "List a directory: one name per line, directories end in /, links in @. " +
      "What .gitignore hides is left out; .git always is.",
    parameters: lsSchema,
    effects: ["read"],
    aliases: { path: ["directory", "dir", "folder"] },
    groups: ["fs"],
    async plan(params, context) {
      return (await work()).planLs(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await work()).runLs(params, signal, context, options.workspace);
    },
  });
}
