import type { FileStat, Workspace } from "@haft/plugin-sdk";
import { joinPath } from "@haft/utils";
import type { LookupTime } from "../lookup/lookup-time.ts";
import { invalidContinuationError, parseContinuation } from "../lookup/page.ts";
import { walkFolders, type WalkReport } from "../lookup/walk.ts";
import { quotedPath } from "../paths/path-text.ts";

export { getModelFacts } from "../content/model-facts.ts";
export { requireGlob, resolveGlobRoot } from "../lookup/glob.ts";
export { LookupTime } from "../lookup/lookup-time.ts";
export { planLookup, requireLookupStart } from "../lookup/start.ts";
export { WalkReport } from "../lookup/walk.ts";
export { requirePlannedPaths } from "../paths/planned-paths.ts";
export { GrepAnswer } from "./grep-answer.ts";
import type { GrepQuery } from "./query.ts";
export { parseQuery } from "./query.ts";
export { searchFiles } from "./search-files.ts";

interface AfterLine {
  full: string;
  path: string;
  /** Absent: the whole file is done. */
  line: number | undefined;
}

export function parseAfter(
  path: string,
  { type }: FileStat,
  after: string | undefined,
  filesOnly: boolean,
): AfterLine | undefined {
  if (after === undefined || after === "") return undefined;
  const [, full = after, line] = filesOnly ? [] : (/^(.*):(\d+)$/s.exec(after) ?? []);
  if (type !== "directory" && full !== path)
    throw invalidContinuationError(after, `line of ${quotedPath(path)}, the only searched file`);
  const position = type === "directory" ? parseContinuation(path, full, after) : full;
  return { full, path: position, line: Number(line ?? 0) || undefined };
}

export async function* listFiles(
  workspace: Workspace,
  { path, glob, start, after, includeIgnored, query }: FileSelection,
  time: LookupTime,
  report: WalkReport,
): AsyncGenerator<string, void> {
  if (start.type !== "directory") {
    if (after === undefined || after.line !== undefined) yield path;
    return;
  }
  const options = {
    time,
    includeIgnored,
    glob,
    after: after?.path ?? "",
    inclusive: after?.line !== undefined,
    text: query,
  };
  for await (const entry of walkFolders(workspace, path, options, report))
    if (entry.type === "file") yield joinPath(path, entry.path);
}

interface FileSelection {
  path: string;
  /** Empty for all files. */
  glob: string;
  start: FileStat;
  after: AfterLine | undefined;
  includeIgnored: boolean;
  query: GrepQuery;
}
