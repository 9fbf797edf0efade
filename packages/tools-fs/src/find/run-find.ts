import { type CallPlan, type ToolResult, type Workspace, withoutUndefined } from "@haft/plugin-sdk";
import { getModelFacts } from "../content/model-facts.ts";
import { FIND_LIMIT } from "../defaults.ts";
import { resolveGlobRoot, compileGlob } from "../lookup/glob.ts";
import { LookupTime } from "../lookup/lookup-time.ts";
import {
  formatCount,
  formatGaps,
  LookupPage,
  getContinuation,
  formatTimeout,
  parseContinuation,
} from "../lookup/page.ts";
import { planLookup, requireFolder } from "../lookup/start.ts";
import { walkFolders, WalkReport } from "../lookup/walk.ts";
import { joinPath, formatFolder, printablePath, quotedPath } from "../paths/path-text.ts";
import { requirePlannedPaths } from "../paths/planned-paths.ts";
import type { FileCall } from "../scheduling/lazy-tool.ts";
import type { FindToolDetails, FindToolInput } from "./find-schema.ts";

type FindCall = FileCall<FindToolInput, { workspace?: Workspace; lookupMs?: number }>;

export const findWork = { plan, run };

function plan({ params, workspace }: FindCall): Promise<CallPlan> {
  return planLookup(
    workspace,
    async () => (await resolveGlobRoot(workspace, params.path, params.pattern)).path,
  );
}

async function run(call: FindCall): Promise<ToolResult<FindToolDetails>> {
  const { params, options, signal, workspace, context } = call;
  await requirePlannedPaths(workspace, context.plan);
  const { pattern, type = "file", limit = FIND_LIMIT, includeIgnored = false } = params;
  const { path, glob } = await resolveGlobRoot(workspace, params.path, pattern);
  const after =
    params.after === undefined || params.after === "" ? undefined : parseContinuation(path, params.after);
  const matches = compileGlob(glob);
  await requireFolder(workspace.fs, path);

  const page = new LookupPage(getModelFacts(context));
  const found: string[] = [];
  const report = new WalkReport();
  const time = new LookupTime(signal, options.lookupMs);
  let truncated = false;
  for await (const entry of walkFolders(workspace, path, { time, includeIgnored, after }, report)) {
    // A link may lead to a file as well as to a directory: it is neither, and found as both.
    if (type !== "any" && entry.type !== type && entry.type !== "symlink") continue;
    if (!matches(entry.path)) continue;
    const full = joinPath(path, entry.path);
    if (found.length === limit || !page.add([printablePath(full)], full)) {
      truncated = true;
      break;
    }
    found.push(full);
  }
  const isStopped = report.stoppedAfter !== undefined;
  const next = isStopped ? getContinuation(report) : truncated ? found.at(-1) : undefined;
  const soFar = isStopped ? " so far" : "";
  return {
    content: page.content([
      found.length === 0 ? `Nothing matches ${printablePath(pattern)} in ${formatFolder(path)}${soFar}.` : "",
      truncated
        ? `Showing ${formatCount(found.length, "path")}; there are more. Use after=${quotedPath(next ?? "")} to continue.`
        : "",
      formatTimeout(report, time),
      formatGaps(report),
    ]),
    details: withoutUndefined({
      path,
      pattern,
      paths: found,
      unseen: report.folders,
      truncated: truncated || isStopped,
      stopped: isStopped || undefined,
      continuation: next === undefined ? undefined : { after: next },
    }),
  };
}
