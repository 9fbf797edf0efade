import { defineTool, requireKnownOptions, Type, type Workspace } from "@haft/plugin-sdk";
import { CLOSED_OBJECT, FOLDER_ALIASES, LS_LIMIT } from "../defaults.ts";
import { lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { LsToolDetails } from "./ls-steps.ts";

export const lsSchema = Type.Object(
  {
    path: Type.Optional(Type.String({ minLength: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: "500 by default." })),
    after: Type.Optional(Type.String({ description: "Continue after this entry." })),
    includeIgnored: Type.Optional(Type.Boolean()),
  },
  CLOSED_OBJECT,
);

const DESCRIPTION =
  "List a directory: a name per line, directories end in /, links in @. Ignored entries are omitted.";

const load = lazyModule(() => import("./ls-steps.ts"));

/**
 * Creates the `ls` tool, which lists the names in one folder.
 *
 * A call fails with `FILE_NOT_FOUND` or `NOT_A_DIRECTORY`; with `INVALID_ARGUMENTS` if `after` is not a name of an entry; with
 * `PATH_CHANGED` if the path changed its location after the decision; or with a workspace error.
 *
 * @param options `workspace`: default: the workspace of the calling session
 *
 * @example
 * ```ts run
 * import { definePlugin } from "@haft/plugin-sdk";
 * import { createFindTool, createLsTool } from "@haft/tools-fs";
 * const plugin = definePlugin({ id: "listing", tools: [createLsTool(), createFindTool()] });
 * plugin.tools.flatMap(({ names }) => names); // => ["ls", "find"]
 * ```
 */
export function createLsTool(options: { workspace?: Workspace } = {}) {
  requireKnownOptions<typeof options>("createLsTool", options, { workspace: true });
  return defineTool<typeof lsSchema, LsToolDetails>({
    name: "ls",
    label: "List",
    description: DESCRIPTION,
    parameters: lsSchema,
    effects: ["read"],
    aliases: { path: FOLDER_ALIASES },
    groups: ["fs"],
    async plan({ path = "." }, context) {
      const { planLookup, findExistingSpelling } = await load();
      const workspace = options.workspace ?? context.workspace;
      return planLookup(workspace, () => findExistingSpelling(workspace.fs, path));
    },
    async execute(_toolCallId, params, signal, _onUpdate, givenContext) {
      const steps = await load();
      const { workspace, context } = toFileCall(options, params, signal, givenContext);
      const { path: requested = ".", limit = LS_LIMIT, includeIgnored = false } = params;
      await steps.requirePlannedPaths(workspace, context.plan);
      const after = params.after ? steps.parseNameContinuation(params.after) : "";
      const path = await steps.findExistingSpelling(workspace.fs, requested);
      await steps.requireFolder(workspace.fs, path);
      signal.throwIfAborted();
      const listing = await steps.listFolder(workspace, path, includeIgnored);
      const page = new steps.LookupPage(steps.getModelFacts(context));
      return steps.lsResult(listing, { path: requested, limit, after }, page);
    },
  });
}
