import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool, Workspace } from "@haft/plugin-sdk";
import { lazily } from "../lazily.ts";

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

/** Loaded with the first call. */
const work = lazily(() => import("./run-find.ts"));

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
    async plan(params, context) {
      return (await work()).planFind(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await work()).runFind(params, signal, context, options);
    },
  });
}
