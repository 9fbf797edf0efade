import type { DirectoryEntry } from "@haft/core";
import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool, Workspace } from "@haft/plugin-sdk";
import { lazily } from "../lazily.ts";

const schema = Type.Object(
  {
    path: Type.Optional(
      Type.String({ minLength: 1, description: "Directory to list; the workspace root by default." }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5000, description: "Most entries, 500 by default." }),
    ),
    after: Type.Optional(Type.String({ description: "Go on after this entry of an earlier answer." })),
    includeIgnored: Type.Optional(Type.Boolean({ description: "Also list what .gitignore hides." })),
  },
  { additionalProperties: false },
);

export type LsToolInput = Static<typeof schema>;

export interface LsToolDetails {
  path: string;
  /** In the order shown: by name, UTF-16 code units. */
  entries: DirectoryEntry[];
  /** Entries left out because `.gitignore` hides them. */
  ignored: number;
  truncated: boolean;
  continuation?: { after: string };
}

export interface LsToolOptions {
  /** Where to look; the calling session's workspace by default. */
  workspace?: Workspace;
}

/** Loaded with the first call. */
const work = lazily(() => import("./run-ls.ts"));

/** The `ls` tool: the names in one directory. */
export function createLsTool(options: LsToolOptions = {}): Tool<typeof schema, LsToolDetails> {
  return defineTool({
    name: "ls",
    label: "List",
    description:
      "List a directory: one name per line, directories end in /, links in @. " +
      "What .gitignore hides is left out; .git always is.",
    parameters: schema,
    effects: ["read"],
    aliases: { path: ["directory", "dir", "folder"] },
    groups: ["fs"],
    async plan(params, context) {
      return (await work()).planLs(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await work()).runLs(params, signal, context, options);
    },
  });
}
