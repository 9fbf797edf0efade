import type { CallPlan, FileStat, ToolResult, Workspace } from "@haft/plugin-sdk";
import { getModelFacts } from "../content/model-facts.ts";
import { GREP_DEADLINE_MS, GREP_LIMIT } from "../defaults.ts";
import { resolveGlobRoot, compileGlob } from "../lookup/glob.ts";
import { LookupTime } from "../lookup/lookup-time.ts";
import { invalidContinuationError, parseContinuation } from "../lookup/page.ts";
import { planLookup, requireLookupStart } from "../lookup/start.ts";
import { walkFolders, WalkReport } from "../lookup/walk.ts";
import { joinPath, quotedPath } from "../paths/path-text.ts";
import { requirePlannedPaths } from "../paths/planned-paths.ts";
import type { FileCall } from "../scheduling/lazy-tool.ts";
import { GrepAnswer } from "./grep-answer.ts";
import type { GrepToolDetails, GrepToolInput, GrepToolOptions } from "./grep-schema.ts";
import { parseQuery } from "./query.ts";
import { createPrefilter } from "./ripgrep.ts";
import { searchFiles } from "./search-files.ts";

type GrepCall = FileCall<GrepToolInput, GrepToolOptions>;

export const grepWork = { plan, run };

function plan({ params: { path, glob = "" }, workspace }: GrepCall): Promise<CallPlan> {
  return planLookup(workspace, async () => (await resolveGlobRoot(workspace, path, glob)).path);
}

async function run(call: GrepCall): Promise<ToolResult<GrepToolDetails>> {
  const { params, options, signal, workspace, context } = call;
  await requirePlannedPaths(workspace, context.plan);
  const { limit = GREP_LIMIT, filesOnly = false } = params;
  const { path, glob } = await resolveGlobRoot(workspace, params.path, params.glob ?? "");
  const query = parseQuery(params.pattern, params);
  const report = new WalkReport();
  const time = new LookupTime(signal, options.lookupMs);
  const start = await requireLookupStart(workspace.fs, path);
  const place = parsePlace(path, start, params.after);
  // What may not be read is said of a file asked for by name, not counted.
  if (start.type === "file") await workspace.fs.read(path, { length: 0 });
  const all = candidates(workspace, { ...params, path, glob }, start, place, time.forWalk(), report);
  const prefilter = createPrefilter(workspace, query, options.ripgrep, time);
  const answer = new GrepAnswer(getModelFacts(context), {
    limit,
    filesOnly,
    context: params.context ?? 0,
    tellBinary: start.type === "file",
  });
  const results = searchFiles(workspace.fs, prefilter(all), {
    query,
    context: filesOnly ? 0 : (params.context ?? 0),
    mostPerFile: filesOnly ? 1 : Math.min(params.maxPerFile ?? Number.POSITIVE_INFINITY, limit + 1),
    deadlineMs: options.deadlineMs ?? GREP_DEADLINE_MS,
    after: place?.line === undefined ? undefined : { path: place.full, line: place.line },
    time,
    report,
  });
  for await (const file of results) {
    if (!answer.add(file)) break;
  }
  return answer.result(path, params.pattern, report, time);
}

interface Place {
  full: string;
  path: string;
  /** Absent: the whole file is done. */
  line: number | undefined;
}

/** @throws HaftError `INVALID_ARGUMENTS` */
function parsePlace(path: string, { type }: FileStat, after: string | undefined): Place | undefined {
  if (after === undefined || after === "") return undefined;
  const [, full = after, line] = /^(.*):(\d+)$/s.exec(after) ?? [];
  if (type !== "directory" && full !== path)
    throw invalidContinuationError(after, `line of ${quotedPath(path)}, which alone is searched`);
  const place = type === "directory" ? parseContinuation(path, full, after) : full;
  return { full, path: place, line: line === undefined ? undefined : Number(line) };
}

/** Every file to be searched, in order. */
async function* candidates(
  workspace: Workspace,
  params: GrepToolInput & { path: string; glob: string },
  start: FileStat,
  place: Place | undefined,
  time: LookupTime,
  report: WalkReport,
): AsyncGenerator<string, void> {
  const { path } = params;
  const matches = params.glob === "" ? () => true : compileGlob(params.glob);
  if (start.type !== "directory") {
    if (place === undefined || place.line !== undefined) yield path;
    return;
  }
  const options = {
    time,
    includeIgnored: params.includeIgnored ?? false,
    after: place?.path,
    inclusive: place?.line !== undefined,
  };
  for await (const entry of walkFolders(workspace, path, options, report)) {
    if (entry.type === "file" && matches(entry.path)) yield joinPath(path, entry.path);
  }
}
