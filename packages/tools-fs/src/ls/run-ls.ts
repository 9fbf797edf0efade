import { type CallPlan, type DirectoryEntry, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import { getModelFacts } from "../content/model-facts.ts";
import { LS_LIMIT } from "../defaults.ts";
import { ignoreRules, KEEP_ALL } from "../lookup/ignore-rules.ts";
import { formatCount, LookupPage, parseNameContinuation } from "../lookup/page.ts";
import { planLookup, requireFolder } from "../lookup/start.ts";
import { MAX_ENTRIES } from "../lookup/walk.ts";
import { findExistingSpelling } from "../paths/existing-spelling.ts";
import { printablePath, quotedPath } from "../paths/path-text.ts";
import { requirePlannedPaths } from "../paths/planned-paths.ts";
import type { FileCall } from "../scheduling/lazy-tool.ts";
import type { LsToolDetails, LsToolInput } from "./ls-schema.ts";

type LsCall = FileCall<LsToolInput>;

export const lsWork = { plan, run };

function plan({ params: { path = "." }, workspace }: LsCall): Promise<CallPlan> {
  return planLookup(workspace, () => findExistingSpelling(workspace.fs, path));
}

async function run(call: LsCall): Promise<ToolResult<LsToolDetails>> {
  const { params, signal, workspace, context } = call;
  await requirePlannedPaths(workspace, context.plan);
  const { fs } = workspace;
  const { limit = LS_LIMIT, includeIgnored = false } = params;
  const after = params.after === undefined || params.after === "" ? "" : parseNameContinuation(params.after);
  const path = await findExistingSpelling(fs, params.path ?? ".");
  await requireFolder(fs, path);
  signal.throwIfAborted();
  const above = includeIgnored ? KEEP_ALL : await ignoreRules(workspace, path);
  const listed = await fs.list(path, { limit: MAX_ENTRIES });
  const rules = await above.within(listed.truncated ? undefined : listed.entries);
  const visible = listed.entries.filter(({ name, type }) => !rules.ignores(name, type === "directory"));
  const sorted = visible.toSorted((a, b) => (a.name < b.name ? -1 : 1)).filter(({ name }) => name > after);

  const page = new LookupPage(getModelFacts(context));
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
      entries.length > 0 ? "" : after === "" ? "Nothing to list." : `Nothing after ${quotedPath(after)}.`,
      truncated
        ? `Showing ${entries.length} of ${formatCount(sorted.length, "entry")}. Use after=${quotedPath(last)} to continue.`
        : "",
      ignored > 0
        ? `${formatCount(ignored, "entry")} hidden by ignore files; includeIgnored=true shows them.`
        : "",
      listed.truncated
        ? `The directory has more than ${MAX_ENTRIES} entries; the others were not looked at.`
        : "",
    ]),
    details: withoutUndefined({
      path: params.path ?? ".",
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
