import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool, Workspace } from "@haft/plugin-sdk";
import { modelOf } from "./model-of.ts";
import { fromRoot } from "./lookup/absolute-glob.ts";
import { compileGlob } from "./lookup/glob.ts";
import { count, gaps, Page } from "./lookup/page.ts";
import { joinPath, placeName, printable, quoted, relativeTo } from "./lookup/paths.ts";
import { planLookup } from "./lookup/plan-lookup.ts";
import { startFolder } from "./lookup/start.ts";
import { walk, WalkReport } from "./lookup/walk.ts";
import { requirePlanned } from "./planned-paths.ts";

const DEFAULT_LIMIT = 200;

const schema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description:
        "Glob such as *.ts (a name at any depth), src/**/*.{ts,tsx} (a path below `path`), !*.md (all others).",
    }),
    path: Type.Optional(
      Type.String({ minLength: 1, description: "Directory to search; the workspace root by default." }),
    ),
    type: Type.Optional(
      Type.Union([Type.Literal("file"), Type.Literal("directory"), Type.Literal("any")], {
        description: "What to find; files by default.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5000, description: "Most paths, 200 by default." }),
    ),
    after: Type.Optional(Type.String({ description: "Go on after this path of an earlier answer." })),
    includeIgnored: Type.Optional(Type.Boolean({ description: "Also find what .gitignore hides." })),
  },
  { additionalProperties: false },
);

export type FindToolInput = Static<typeof schema>;

export interface FindToolDetails {
  path: string;
  pattern: string;
  /** As `read` takes them, name by name in order. */
  paths: string[];
  /** Folders that were not looked into, or not at all of their entries. */
  unseen: number;
  truncated: boolean;
  continuation?: { after: string };
}

export interface FindToolOptions {
  /** Where to look; the calling session's workspace by default. */
  workspace?: Workspace;
}

/** The `find` tool: paths that match a glob. */
export function createFindTool(options: FindToolOptions = {}): Tool<typeof schema, FindToolDetails> {
  return defineTool({
    name: "find",
    label: "Find",
    description:
      "Find files by name with a glob. What .gitignore hides is left out, and .git always is; " +
      "links are found but not followed. Paths come in order, page by page.",
    parameters: schema,
    effects: ["read"],
    aliases: { pattern: ["glob", "name"], path: ["directory", "dir", "folder"] },
    groups: ["fs"],
    plan(params, context) {
      const workspace = options.workspace ?? context.workspace;
      return planLookup(workspace, async () => (await fromRoot(workspace, params.path, params.pattern)).path);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const workspace = options.workspace ?? context.workspace;
      await requirePlanned(workspace, context?.plan);
      const { fs } = workspace;
      const { pattern, type = "file", limit = DEFAULT_LIMIT, includeIgnored = false } = params;
      const { path, glob } = await fromRoot(workspace, params.path, pattern);
      const after = params.after === undefined ? undefined : relativeTo(path, params.after);
      const matches = compileGlob(glob);
      await startFolder(fs, path);

      const page = new Page(modelOf(context));
      const found: string[] = [];
      const report = new WalkReport();
      let truncated = false;
      for await (const entry of walk(fs, path, { signal, includeIgnored, after }, report)) {
        // A link may lead to a file as well as to a directory: it is neither, and found as both.
        if (type !== "any" && entry.type !== type && entry.type !== "symlink") continue;
        if (!matches(entry.path)) continue;
        const full = joinPath(path, entry.path);
        if (found.length === limit || !page.add([printable(full)], full)) {
          truncated = true;
          break;
        }
        found.push(full);
      }
      const last = found.at(-1) ?? "";
      return {
        content: page.content([
          found.length === 0 ? `Nothing matches ${printable(pattern)} in ${placeName(path)}.` : "",
          truncated
            ? `Showing ${count(found.length, "path")}; there are more. Use after=${quoted(last)} to continue.`
            : "",
          gaps(report),
        ]),
        details: {
          path,
          pattern,
          paths: found,
          unseen: report.folders,
          truncated,
          ...(truncated && { continuation: { after: last } }),
        },
      };
    },
  });
}
