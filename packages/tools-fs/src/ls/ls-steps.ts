import { type DirectoryEntry, ignoreRules, type ToolResult, type Workspace } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { formatCount, type LookupPage } from "../lookup/page.ts";
import { printablePath, quotedPath } from "../paths/path-text.ts";

export { getModelFacts } from "../content/model-facts.ts";
export { LookupPage, parseNameContinuation } from "../lookup/page.ts";
export { planLookup, requireFolder } from "../lookup/start.ts";
export { findExistingSpelling } from "../paths/existing-spelling.ts";
export { requirePlannedPaths } from "../paths/planned-paths.ts";

/**
 * Describes the `details` of `ls`.
 *
 * @example
 * ```ts
 * import type { LsToolDetails } from "@haft/tools-fs";
 * const folders = ({ entries }: LsToolDetails) =>
 *   entries.filter(({ type }) => type === "directory").map(({ name }) => `${name}/`);
 * ```
 */
export interface LsToolDetails {
  /** Contains the path as the call has it. Default `.`. */
  path: string;
  /** Lists entries, sorted by name in UTF-16 code units. */
  entries: DirectoryEntry[];
  /** Counts entries that ignore files hide. */
  ignored: number;
  /** Whether there are more entries. */
  truncated: boolean;
  /** Contains the additional argument for the next page. */
  continuation?: { after: string };
}

const MAX_ENTRIES = 100_000;

/** Lists a folder without ignored entries. `isIncomplete`: the folder has more entries. */
export async function listFolder(workspace: Workspace, path: string, includeIgnored: boolean) {
  const above = includeIgnored ? undefined : await ignoreRules(workspace, path);
  const { entries: all, truncated } = await workspace.fs.list(path, { limit: MAX_ENTRIES });
  const rules = (await above?.within(truncated ? undefined : all)) ?? {
    ignores: (name: string) => name === ".git",
  };
  const visible = all.filter(({ name, type }) => !rules.ignores(name, type === "directory"));
  const ignored = all.filter(({ name }) => name !== ".git").length - visible.length;
  return { visible, ignored, isIncomplete: truncated };
}

export function lsResult(
  { visible, ignored, isIncomplete }: Awaited<ReturnType<typeof listFolder>>,
  { path, limit, after }: { path: string; limit: number; after: string },
  page: LookupPage,
): ToolResult<LsToolDetails> {
  const sorted = visible.toSorted((a, b) => (a.name < b.name ? -1 : 1)).filter(({ name }) => name > after);
  const entries: DirectoryEntry[] = [];
  for (const entry of sorted) {
    if (entries.length === limit || !page.add([display(entry)], entry.name)) break;
    entries.push(entry);
  }
  const truncated = entries.length < sorted.length;
  const last = entries.at(-1)?.name ?? "";
  return {
    content: page.content([
      entries.length > 0 ? "" : after === "" ? "Nothing to list." : `Nothing after ${quotedPath(after)}.`,
      truncated
        ? `Showing ${entries.length} of ${formatCount(sorted.length, "entry")}. Use after=${quotedPath(last)} to continue.`
        : "",
      ignored > 0
        ? `${formatCount(ignored, "entry")} hidden by ignore files; includeIgnored=true shows them.`
        : "",
      isIncomplete ? `The directory has more than ${MAX_ENTRIES} entries; the others were not read.` : "",
    ]),
    details: withoutUndefined({
      path,
      entries,
      ignored,
      truncated,
      continuation: truncated ? { after: last } : undefined,
    }),
  };
}

function display({ name, type }: DirectoryEntry): string {
  return printablePath(name) + (type === "directory" ? "/" : type === "symlink" ? "@" : "");
}
