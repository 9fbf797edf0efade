import {
  type FileStat,
  type HaftError,
  scanFolder,
  type ScanOptions,
  type ScanPage,
  type SkippedFolders,
  type Workspace,
} from "@haft/plugin-sdk";
import { joinPath } from "@haft/utils";
import { fileToolError } from "../errors.ts";
import { formatFolder } from "../paths/path-text.ts";
import type { LookupTime } from "./lookup-time.ts";

interface FolderWalkOptions extends Omit<ScanOptions, "signal"> {
  /** At its end, the walk stops and sets {@link WalkReport.stoppedAfter}. */
  time: LookupTime;
}

interface FoundEntry {
  path: string;
  type: FileStat["type"];
}

export class WalkReport {
  readonly unreadable: SkippedFolders = { count: 0, first: "" };
  readonly overflow: SkippedFolders = { count: 0, first: "" };
  readonly tooDeep: SkippedFolders = { count: 0, first: "" };
  readonly ignored: SkippedFolders = { count: 0, first: "" };
  readonly links: SkippedFolders = { count: 0, first: "" };
  /** The time ended: the walk visited everything up to this path, and nothing after it. */
  stoppedAfter: string | undefined;

  get folders(): number {
    return this.unreadable.count + this.overflow.count + this.tooDeep.count;
  }

  add(page: ScanPage): void {
    for (const kind of ["unreadable", "overflow", "tooDeep", "ignored", "links"] as const) {
      if (this[kind].count === 0) this[kind].first = page[kind].first;
      this[kind].count += page[kind].count;
    }
  }
}

/**
 * Walks everything below a folder in the order of {@link scanFolder}, so a walk can continue after any path.
 *
 * @throws HaftError `LOOKUP_TOO_SLOW` if the time ended before the first entry
 */
export async function* walkFolders(
  workspace: Workspace,
  start: string,
  { time, ...options }: FolderWalkOptions,
  report: WalkReport,
): AsyncGenerator<FoundEntry, void> {
  const pages = scanFolder(workspace, start, { ...options, signal: time.signal });
  let last: string | undefined;
  try {
    for (;;) {
      // On the way to the continuation nothing is new, so each page gets a minimum time to make progress.
      const isEnd = last === undefined ? time.isGraceExpired() : time.isExpired();
      const step = isEnd ? undefined : await time.waitFor(pages.next());
      if (step === undefined) {
        if (last === undefined) throw tooSlow(start, time);
        report.stoppedAfter = joinPath(start, last);
        return;
      }
      if (step.done === true) return;
      report.add(step.value);
      yield* step.value.entries;
      last = step.value.last ?? last;
      if (step.value.isLast) return;
    }
  } finally {
    // A page that never comes must not delay the end.
    void pages.return();
  }
}

function tooSlow(folder: string, { limitMs }: LookupTime): HaftError {
  const message = `${formatFolder(folder)} could not be listed within ${limitMs / 1000} s, so nothing was searched.`;
  return fileToolError("LOOKUP_TOO_SLOW", message, { details: { path: folder, limitMs } });
}
