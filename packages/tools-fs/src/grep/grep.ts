import { defineTool, requireKnownOptions, Type, type Workspace } from "@haft/plugin-sdk";
import { CLOSED_OBJECT, GREP_DEADLINE_MS, GREP_LIMIT } from "../defaults.ts";
import { lazyModule, toFileCall } from "../scheduling/lazy-tool.ts";
import type { GrepToolDetails } from "./grep-types.ts";

export const grepSchema = Type.Object(
  {
    pattern: Type.String({ minLength: 1, description: "JavaScript syntax; matched within a line." }),
    path: Type.Optional(Type.String({ minLength: 1 })),
    glob: Type.Optional(
      Type.String({ minLength: 1, description: "Only files like *.ts or src/**; !: all others." }),
    ),
    literal: Type.Optional(Type.Boolean()),
    ignoreCase: Type.Optional(Type.Boolean()),
    context: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 20, description: "Lines around each match." }),
    ),
    filesOnly: Type.Optional(Type.Boolean()),
    maxPerFile: Type.Optional(
      Type.Integer({
        minimum: 1,
        "haft:unadvertised": true,
        description: "Limit of matching lines per file.",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: "100 by default." })),
    after: Type.Optional(Type.String({ description: "Continue after this path:line." })),
    includeIgnored: Type.Optional(Type.Boolean()),
  },
  CLOSED_OBJECT,
);

const DESCRIPTION =
  "Search files for a regular expression, or literal text. Returns line:text by file; context lines have - instead. Binary and " +
  "ignored files are omitted.";

/**
 * Contains the options of {@link createGrepTool}.
 *
 * @example
 * ```ts
 * import type { GrepToolOptions } from "@haft/tools-fs";
 * const options: GrepToolOptions = { deadlineMs: 1_000, lookupMs: 10_000 };
 * ```
 */
export interface GrepToolOptions {
  /** Sets the workspace. Default: the workspace of the calling session. */
  workspace?: Workspace;
  /** Limits a regular expression on 1 MiB of text, in milliseconds. Default 5,000. */
  deadlineMs?: number;
  /** Limits one call, in milliseconds. Default 30,000. The result reports unfinished searches. */
  lookupMs?: number;
}

const load = lazyModule(() => import("./grep-steps.ts"));

/**
 * Creates the `grep` tool, which lists lines that match a pattern.
 *
 * A call fails with `INVALID_PATTERN`, `PATTERN_TOO_SLOW` or `FILE_NOT_FOUND`; with `INVALID_ARGUMENTS` if `after` is not a path below the
 * start; with `LOOKUP_TOO_SLOW` if nothing could be listed in time; with `PATH_CHANGED` if the path changed its location after the
 * decision; or with a workspace error.
 *
 * @example
 * ```ts run
 * import { createGrepTool } from "@haft/tools-fs";
 * const grep = createGrepTool({ deadlineMs: 1_000 });
 * grep.effects; // => ["read"]
 * ```
 */
export function createGrepTool(options: GrepToolOptions = {}) {
  requireKnownOptions<GrepToolOptions>("createGrepTool", options, {
    workspace: true,
    deadlineMs: true,
    lookupMs: true,
  });
  return defineTool<typeof grepSchema, GrepToolDetails>({
    name: "grep",
    label: "Grep",
    description: DESCRIPTION,
    parameters: grepSchema,
    effects: ["read"],
    aliases: {
      pattern: ["regex", "query", "search"],
      path: ["directory", "dir", "folder", "file"],
      glob: ["include"],
      ignoreCase: ["caseInsensitive", "case_insensitive"],
    },
    groups: ["fs"],
    async plan({ path, glob = "" }, context) {
      const { planLookup, resolveGlobRoot } = await load();
      const workspace = options.workspace ?? context.workspace;
      return planLookup(workspace, async () => (await resolveGlobRoot(workspace, path, glob)).path);
    },
    async execute(_toolCallId, params, signal, _onUpdate, givenContext) {
      const steps = await load();
      const { workspace, context } = toFileCall(options, params, signal, givenContext);
      const { limit = GREP_LIMIT, filesOnly = false, context: around = 0 } = params;
      await steps.requirePlannedPaths(workspace, context.plan);
      const { path, glob } = await steps.resolveGlobRoot(workspace, params.path, params.glob ?? "");
      const query = steps.parseQuery(params.pattern, params);
      const report = new steps.WalkReport();
      const time = new steps.LookupTime(signal, options.lookupMs);
      const start = await steps.requireLookupStart(workspace.fs, path);
      const after = steps.parseAfter(path, start, params.after, filesOnly);
      // A named file that may not be read is an error. In a folder it is only counted.
      if (start.type === "file") await workspace.fs.read(path, { length: 0 });
      if (glob !== "") steps.requireGlob(glob);
      const selection = { path, glob, start, after, includeIgnored: params.includeIgnored ?? false, query };
      const files = steps.listFiles(workspace, selection, time.forWalk(), report);
      const shown = { limit, filesOnly, context: around, tellBinary: start.type === "file" };
      const answer = new steps.GrepAnswer(steps.getModelFacts(context), shown);
      const results = steps.searchFiles(workspace.fs, files, {
        query,
        context: filesOnly ? 0 : around,
        mostPerFile: filesOnly ? 1 : Math.min(params.maxPerFile ?? limit + 1, limit + 1),
        deadlineMs: options.deadlineMs ?? GREP_DEADLINE_MS,
        after: after?.line === undefined ? undefined : { path: after.full, line: after.line },
        time,
        report,
      });
      for await (const file of results) if (!answer.add(file)) break;
      return answer.result(path, params.pattern, report, time);
    },
  });
}
