import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool, Workspace } from "@haft/plugin-sdk";
import type { DirectoryEntry } from "@haft/core";
import { modelOf } from "./model-of.ts";
import { ignoreRules, KEEP_ALL } from "./lookup/ignore-rules.ts";
import { count, Page } from "./lookup/page.ts";
import { printable, quoted } from "./lookup/paths.ts";
import { planLookup } from "./lookup/plan-lookup.ts";
import { startFolder } from "./lookup/start.ts";
import { MOST_ENTRIES } from "./lookup/walk.ts";
import { requirePlanned } from "./planned-paths.ts";

const DEFAULT_LIMIT = 500;

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
    plan(params, context) {
      const workspace = options.workspace ?? context.workspace;
      return planLookup(workspace, () => params.path ?? ".");
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const workspace = options.workspace ?? context.workspace;
      await requirePlanned(workspace, context?.plan);
      const { fs } = workspace;
      const { path = ".", limit = DEFAULT_LIMIT, after = "", includeIgnored = false } = params;
      await startFolder(fs, path);
      signal.throwIfAborted();
      const rules = includeIgnored ? KEEP_ALL : await ignoreRules(fs, path);
      const listed = await fs.list(path, { limit: MOST_ENTRIES });
      const visible = listed.entries.filter(({ name, type }) => !rules.ignores(name, type === "directory"));
      const sorted = visible
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .filter(({ name }) => name > after);

      const page = new Page(modelOf(context));
      const entries: DirectoryEntry[] = [];
      for (const entry of sorted) {
        if (entries.length === limit || !page.add([display(entry)], entry.name)) break;
        entries.push(entry);
      }
      const truncated = entries.length < sorted.length;
      const last = entries.at(-1)?.name ?? "";
      const ignored = listed.entries.filter(({ name }) => name !== ".git").length - visible.length;
      return {
        content: page.content([
          entries.length > 0 ? "" : after === "" ? "Nothing to list." : `Nothing after ${quoted(after)}.`,
          truncated
            ? `Showing ${entries.length} of ${count(sorted.length, "entry")}. Use after=${quoted(last)} to continue.`
            : "",
          ignored > 0
            ? `${count(ignored, "entry")} hidden by .gitignore; includeIgnored=true shows them.`
            : "",
          listed.truncated
            ? `The directory has more than ${MOST_ENTRIES} entries; the others were not looked at.`
            : "",
        ]),
        details: { path, entries, ignored, truncated, ...(truncated && { continuation: { after: last } }) },
      };
    },
  });
}

function display({ name, type }: DirectoryEntry): string {
  return printable(name) + (type === "directory" ? "/" : type === "symlink" ? "@" : "");
}
