import type { FileStat } from "@haft/core";
import { defineTool, Type } from "@haft/plugin-sdk";
import type { FileSystem, Static, Tool, Workspace } from "@haft/plugin-sdk";
import { modelOf } from "./model-of.ts";
import { fromRoot } from "./lookup/absolute-glob.ts";
import { compileGlob } from "./lookup/glob.ts";
import { GrepAnswer } from "./lookup/grep-answer.ts";
import type { GrepToolDetails } from "./lookup/grep-answer.ts";
import { joinPath, relativeTo } from "./lookup/paths.ts";
import { planLookup } from "./lookup/plan-lookup.ts";
import { parseQuery } from "./lookup/query.ts";
import { createPrefilter } from "./lookup/ripgrep.ts";
import { searchFiles } from "./lookup/search-files.ts";
import { startOf } from "./lookup/start.ts";
import { walk, WalkReport } from "./lookup/walk.ts";
import { requirePlanned } from "./planned-paths.ts";

const DEFAULT_LIMIT = 100;
const DEFAULT_DEADLINE_MS = 5000;

const schema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description: "Regular expression (JavaScript), matched within single lines.",
    }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description: "File or directory to search; the workspace root by default.",
      }),
    ),
    glob: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Only files like *.ts or src/**/*.{ts,tsx}; with a ! in front, all others.",
      }),
    ),
    literal: Type.Optional(Type.Boolean({ description: "Take the pattern as plain text." })),
    ignoreCase: Type.Optional(Type.Boolean({ description: "Upper and lower case are the same." })),
    context: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 20, description: "Lines to show before and after each match." }),
    ),
    filesOnly: Type.Optional(Type.Boolean({ description: "Only name the files that have a match." })),
    maxPerFile: Type.Optional(Type.Integer({ minimum: 1, description: "Most matching lines of one file." })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5000,
        description: "Most matching lines (or files), 100 by default.",
      }),
    ),
    after: Type.Optional(
      Type.String({ description: "Go on after this place (path:line) of an earlier answer." }),
    ),
    includeIgnored: Type.Optional(Type.Boolean({ description: "Also search what .gitignore hides." })),
  },
  { additionalProperties: false },
);

export type GrepToolInput = Static<typeof schema>;

export interface GrepToolOptions {
  /** Where to look; the calling session's workspace by default. */
  workspace?: Workspace;
  /**
   * Path of a ripgrep program, `false` for none; found on PATH (outside the workspace) by default. It only
   * rules files out: what is shown is always read through the workspace, and is the same without it.
   */
  ripgrep?: string | false;
  /** How long a regular expression may take on 1 MiB of text, in milliseconds; 5,000 by default. */
  deadlineMs?: number;
}

/** The `grep` tool: lines that match a pattern. */
export function createGrepTool(options: GrepToolOptions = {}): Tool<typeof schema, GrepToolDetails> {
  return defineTool({
    name: "grep",
    label: "Grep",
    description:
      "Search files for a regular expression or plain text. Binary files, .git and what .gitignore hides are left " +
      "out; links are not followed. Answers line:text by file; context lines are marked with -.",
    parameters: schema,
    effects: ["read"],
    aliases: {
      pattern: ["regex", "query", "search"],
      path: ["directory", "dir", "folder", "file"],
      glob: ["include"],
      ignoreCase: ["caseInsensitive", "case_insensitive"],
    },
    groups: ["fs"],
    plan(params, context) {
      const workspace = options.workspace ?? context.workspace;
      return planLookup(
        workspace,
        async () => (await fromRoot(workspace, params.path, params.glob ?? "")).path,
      );
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const workspace = options.workspace ?? context.workspace;
      await requirePlanned(workspace, context?.plan);
      const { limit = DEFAULT_LIMIT, filesOnly = false } = params;
      const { path, glob } = await fromRoot(workspace, params.path, params.glob ?? "");
      const query = parseQuery(params.pattern, {
        literal: params.literal ?? false,
        ignoreCase: params.ignoreCase ?? false,
      });
      const place = parsePlace(path, params.after);
      const report = new WalkReport();
      const start = await startOf(workspace.fs, path);
      // What may not be read is said of a file asked for by name, not counted.
      if (start.type === "file") await workspace.fs.read(path, { length: 0 });
      const all = candidates(workspace.fs, { ...params, path, glob }, start, place, signal, report);
      const prefilter = createPrefilter(workspace, query, options.ripgrep, signal);
      const answer = new GrepAnswer(modelOf(context), {
        limit,
        filesOnly,
        context: params.context ?? 0,
        tellBinary: start.type === "file",
      });
      const results = searchFiles(workspace.fs, prefilter(all), {
        query,
        context: filesOnly ? 0 : (params.context ?? 0),
        mostPerFile: filesOnly ? 1 : Math.min(params.maxPerFile ?? Number.POSITIVE_INFINITY, limit + 1),
        deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
        after: place?.line === undefined ? undefined : { path: place.full, line: place.line },
        signal,
      });
      for await (const file of results) {
        if (!answer.add(file)) break;
      }
      return answer.result(path, params.pattern, report);
    },
  });
}

interface Place {
  /** As shown. */
  full: string;
  /** Relative to where the search starts. */
  path: string;
  /** Absent: the whole file is done. */
  line: number | undefined;
}

function parsePlace(start: string, after: string | undefined): Place | undefined {
  if (after === undefined || after === "") return undefined;
  const [, full = after, line] = /^(.*):(\d+)$/s.exec(after) ?? [];
  return { full, path: relativeTo(start, full), line: line === undefined ? undefined : Number(line) };
}

/** Every file to be searched, in order. */
async function* candidates(
  fs: FileSystem,
  params: GrepToolInput & { path: string; glob: string },
  start: FileStat,
  place: Place | undefined,
  signal: AbortSignal,
  report: WalkReport,
): AsyncGenerator<string, void> {
  const { path } = params;
  const matches = params.glob === "" ? () => true : compileGlob(params.glob);
  if (start.type !== "directory") {
    if (place === undefined || place.line !== undefined) yield path;
    return;
  }
  const options = {
    signal,
    includeIgnored: params.includeIgnored ?? false,
    after: place?.path,
    inclusive: place?.line !== undefined,
  };
  for await (const entry of walk(fs, path, options, report)) {
    if (entry.type === "file" && matches(entry.path)) yield joinPath(path, entry.path);
  }
}
