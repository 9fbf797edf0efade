import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { DetectedEncoding } from "../content/codecs.ts";
import { fileToolError } from "../errors.ts";
import type { LookupTime } from "../lookup/lookup-time.ts";
import type { WalkReport } from "../lookup/walk.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { JobTimeout, WorkerThread, workerUrl } from "../scheduling/worker-thread.ts";
import { type FileBatch, fileBatches, type FilePiece } from "./file-batches.ts";
import type { SkipReason } from "./grep-types.ts";
import type { GrepQuery } from "./query.ts";
import { type FoundLine, type PieceResult, type SearchJob, searchText } from "./search-text.ts";

interface GrepOptions {
  query: GrepQuery;
  context: number;
  mostPerFile: number;
  deadlineMs: number;
  after: { path: string; line: number } | undefined;
  time: LookupTime;
  report: WalkReport;
}

export interface FileMatches {
  path: string;
  lines: FoundLine[];
  detected?: DetectedEncoding;
}

export interface SkippedFile {
  path: string;
  skipped: SkipReason;
}

/**
 * Literals are searched on this thread, in turns. Regular expressions run on a thread that can be killed, because some take exponential
 * time.
 */
export async function* searchFiles(
  fs: FileSystem,
  paths: AsyncIterable<string>,
  options: GrepOptions,
): AsyncGenerator<FileMatches | SkippedFile, void> {
  let found: Collected | undefined;
  const enough = (path: string): boolean => found?.path === path && found.matches >= options.mostPerFile;
  const turns = new EventLoopYielder();
  for await (const batch of fileBatches(fs, paths, { ...options, enough })) {
    await turns.pause();
    const results = await search(batch, options);
    for (const [index, lines] of results.entries()) {
      const { path, skipped, detected } = batch.pieces[index] as FilePiece;
      if (found !== undefined && found.path !== path) {
        if (found.matches > 0) yield found.result();
        found = undefined;
      }
      if (skipped === undefined) (found ??= new Collected(path, options.mostPerFile)).add(lines, detected);
      else yield { path, skipped };
    }
  }
  if (found !== undefined && found.matches > 0) yield found.result();
}

class Collected {
  readonly path: string;
  matches = 0;
  private detected: DetectedEncoding | undefined;
  private readonly maxMatches: number;
  private readonly lines = new Map<number, FoundLine>();

  constructor(path: string, most: number) {
    this.path = path;
    this.maxMatches = most;
  }

  add(lines: PieceResult, detected: DetectedEncoding | undefined): void {
    this.detected ??= detected;
    for (const line of lines) {
      const known = this.lines.get(line.line);
      if (line.match && known?.match !== true) {
        if (this.matches === this.maxMatches) return;
        this.matches += 1;
        this.lines.set(line.line, line);
      } else if (known === undefined) this.lines.set(line.line, line);
    }
  }

  result(): FileMatches {
    const lines = [...this.lines.values()].toSorted((a, b) => a.line - b.line);
    return withoutUndefined({ path: this.path, lines, detected: this.detected });
  }
}

const thread = new WorkerThread<SearchJob, PieceResult[]>(workerUrl("search-worker", import.meta.url));

async function search(batch: FileBatch, options: GrepOptions): Promise<PieceResult[]> {
  const { query, context, after, time, deadlineMs } = options;
  const pieces = batch.pieces.map((piece) => ({
    ...piece,
    maxMatches: options.mostPerFile,
    afterLine: piece.path === after?.path ? after.line : 0,
  }));
  const job: SearchJob = { bytes: batch.bytes, pieces, query, context };
  if (query.kind === "literal") return searchText(job);
  try {
    return await thread.run(job, {
      signal: time.signal,
      deadlineMs,
      transfer: [batch.bytes.buffer as ArrayBuffer],
    });
  } catch (error) {
    if (error instanceof JobTimeout) throw tooSlow(query.source, deadlineMs, batch);
    throw error;
  }
}

function tooSlow(pattern: string, deadlineMs: number, batch: FileBatch): HaftError {
  const where = batch.pieces[0]?.path ?? "";
  const message = `The pattern ${JSON.stringify(pattern)} was stopped after ${deadlineMs} ms on the files from ${where} on.`;
  const fix =
    "Avoid repeats within repeats such as (a+)+ or (.*,)*, set literal=true, or name fewer files by path and glob.";
  return fileToolError("PATTERN_TOO_SLOW", message, { fix, details: { pattern, deadlineMs } });
}
