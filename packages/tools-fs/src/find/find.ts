import { defineTool, requireKnownOptions, Type, type Workspace } from "@haft/plugin-sdk";
import { CLOSED_OBJECT, FIND_LIMIT, FOLDER_ALIASES } from "../defaults.ts";
import { lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { FindToolDetails } from "./find-steps.ts";

export const findSchema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description: "*.ts (at any depth), src/**/*.{ts,tsx} (below path), !*.md (all others).",
    }),
    path: Type.Optional(Type.String({ minLength: 1 })),
    type: Type.Optional(
      Type.Unsafe<"file" | "directory" | "any">({
        type: "string",
        enum: ["file", "directory", "any"],
        description: "file by default.",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: "200 by default." })),
    after: Type.Optional(Type.String({ description: "Continue after this path." })),
    includeIgnored: Type.Optional(Type.Boolean()),
  },
  CLOSED_OBJECT,
);

const DESCRIPTION = "Find files by a glob. Ignored files are omitted; links are not followed.";

const load = lazyModule(() => import("./find-steps.ts"));

/**
 * Creates the `find` tool, which lists paths that match a glob.
 *
 * A call fails with `INVALID_PATTERN`, `FILE_NOT_FOUND` or `NOT_A_DIRECTORY`; with `INVALID_ARGUMENTS` if `after` is not a path below the
 * start; with `LOOKUP_TOO_SLOW` if nothing could be listed in time; with `PATH_CHANGED` if the path changed its location after the
 * decision; or with a workspace error.
 *
 * @param options `workspace`: default: the workspace of the calling session. `lookupMs`: milliseconds for one call; default 30,000. The
 * result reports unfinished searches.
 *
 * @example
 * ```ts run
 * import { createFindTool } from "@haft/tools-fs";
 * import { createHostWorkspace } from "@haft/workspace";
 * const find = createFindTool({ workspace: createHostWorkspace({ root: process.cwd() }), lookupMs: 5_000 });
 * find.name; // => "find"
 * ```
 */
export function createFindTool(options: { workspace?: Workspace; lookupMs?: number } = {}) {
  requireKnownOptions<typeof options>("createFindTool", options, { workspace: true, lookupMs: true });
  return defineTool<typeof findSchema, FindToolDetails>({
    name: "find",
    label: "Find",
    description: DESCRIPTION,
    parameters: findSchema,
    effects: ["read"],
    aliases: { pattern: ["glob", "name"], path: FOLDER_ALIASES },
    groups: ["fs"],
    async plan({ path, pattern }, context) {
      const { planLookup, resolveGlobRoot } = await load();
      const workspace = options.workspace ?? context.workspace;
      return planLookup(workspace, async () => (await resolveGlobRoot(workspace, path, pattern)).path);
    },
    async execute(_toolCallId, params, signal, _onUpdate, givenContext) {
      const steps = await load();
      const { workspace, context } = toFileCall(options, params, signal, givenContext);
      const { pattern, type = "file", limit = FIND_LIMIT, includeIgnored = false } = params;
      await steps.requirePlannedPaths(workspace, context.plan);
      const { path, glob } = await steps.resolveGlobRoot(workspace, params.path, pattern);
      const after = params.after ? steps.parseContinuation(path, params.after) : undefined;
      steps.requireGlob(glob);
      await steps.requireFolder(workspace.fs, path);
      const page = new steps.LookupPage(steps.getModelFacts(context));
      const time = new steps.LookupTime(signal, options.lookupMs);
      const request = { path, pattern, glob, type, limit, includeIgnored, after, time };
      const found = await steps.findPaths(workspace, request, page);
      return steps.findResult(request, found, page);
    },
  });
}
