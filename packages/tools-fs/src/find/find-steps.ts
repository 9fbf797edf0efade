import type { ToolResult, Workspace } from "@haft/plugin-sdk";
import { joinPath, withoutUndefined } from "@haft/utils";
import type { LookupTime } from "../lookup/lookup-time.ts";
import {
  formatCount,
  formatGaps,
  formatLeftOut,
  formatTimeout,
  getContinuation,
  type LookupPage,
} from "../lookup/page.ts";
import { walkFolders, WalkReport } from "../lookup/walk.ts";
import { formatFolder, printablePath, quotedPath } from "../paths/path-text.ts";

export { getModelFacts } from "../content/model-facts.ts";
export { requireGlob, resolveGlobRoot } from "../lookup/glob.ts";
export { LookupTime } from "../lookup/lookup-time.ts";
export { LookupPage, parseContinuation } from "../lookup/page.ts";
export { planLookup, requireFolder } from "../lookup/start.ts";
export { requirePlannedPaths } from "../paths/planned-paths.ts";

/**
 * Describes the `details` of `find`.
 *
 * @example
 * ```ts
 * import type { FindToolDetails } from "@haft/tools-fs";
 * const nextPage = ({ pattern, continuation }: FindToolDetails) => continuation && { pattern, ...continuation };
 * ```
 */
export interface FindToolDetails {
  /** Contains the searched folder. */
  path: string;
  /** Contains the pattern as the call has it. */
  pattern: string;
  /** Lists paths for `read`, sorted name by name. */
  paths: string[];
  /** Counts folders that were not, or not completely, listed. */
  unseen: number;
  /** Indicates that there are, or may be, more paths: see `stopped`. */
  truncated: boolean;
  /** Present if the time limit ended the search. */
  stopped?: true;
  /** Contains the additional argument for the next page. */
  continuation?: { after: string };
}

interface FindRequest {
  path: string;
  pattern: string;
  glob: string;
  type: "file" | "directory" | "any";
  limit: number;
  includeIgnored: boolean;
  after: string | undefined;
  time: LookupTime;
}

export async function findPaths(
  workspace: Workspace,
  { path, glob, type, limit, includeIgnored, after, time }: FindRequest,
  page: LookupPage,
): Promise<{ paths: string[]; truncated: boolean; report: WalkReport }> {
  const paths: string[] = [];
  const report = new WalkReport();
  const options = { time, includeIgnored, glob, after: after ?? "" };
  for await (const entry of walkFolders(workspace, path, options, report)) {
    // A link may refer to a file or a folder.
    if (type !== "any" && entry.type !== type && entry.type !== "symlink") continue;
    const full = joinPath(path, entry.path);
    if (paths.length === limit || !page.add([printablePath(full)], full))
      return { paths, truncated: true, report };
    paths.push(full);
  }
  return { paths, truncated: false, report };
}

export function findResult(
  { path, pattern, time }: FindRequest,
  { paths, truncated, report }: Awaited<ReturnType<typeof findPaths>>,
  page: LookupPage,
): ToolResult<FindToolDetails> {
  const isStopped = report.stoppedAfter !== undefined;
  const next = isStopped ? getContinuation(report) : truncated ? paths.at(-1) : undefined;
  const soFar = isStopped ? " so far" : "";
  return {
    content: page.content([
      paths.length === 0 ? `Nothing matches ${printablePath(pattern)} in ${formatFolder(path)}${soFar}.` : "",
      truncated
        ? `Showing ${formatCount(paths.length, "path")}; there are more. Use after=${quotedPath(next ?? "")} to continue.`
        : "",
      formatTimeout(report, time),
      formatGaps(report),
      paths.length === 0 ? formatLeftOut(report) : "",
    ]),
    details: withoutUndefined({
      path,
      pattern,
      paths,
      unseen: report.folders,
      truncated: truncated || isStopped,
      stopped: isStopped || undefined,
      continuation: next === undefined ? undefined : { after: next },
    }),
  };
}
