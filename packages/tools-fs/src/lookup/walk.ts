import { type DirectoryEntry, type FileSystem, HaftError, type Workspace } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { joinPath, formatFolder } from "../paths/path-text.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import { ignoreRules, type IgnoreRules, KEEP_ALL, type InheritedIgnoreRules } from "./ignore-rules.ts";
import type { LookupTime } from "./lookup-time.ts";

/** Limits the entries of one folder; more entries set {@link WalkReport.overflow}. */
export const MAX_ENTRIES = 100_000;
const MOST_DEPTH = 512;

interface FolderWalkOptions {
  /** At its end, the walk stops and sets {@link WalkReport.stoppedAfter}. */
  time: LookupTime;
  /** Includes entries that ignore files hide (never `.git`). */
  includeIgnored: boolean;
  after: string | undefined;
  inclusive?: boolean;
}

interface FoundEntry {
  path: string;
  type: DirectoryEntry["type"];
}

export class WalkReport {
  readonly unreadable = new SkippedFolders();
  readonly overflow = new SkippedFolders();
  readonly tooDeep = new SkippedFolders();
  /** The walk visited everything up to this path, and nothing after it. */
  stoppedAfter: string | undefined;

  get folders(): number {
    return this.unreadable.count + this.overflow.count + this.tooDeep.count;
  }
}

export class SkippedFolders {
  count = 0;
  first = "";

  add(folder: string): void {
    if (this.count === 0) this.first = folder;
    this.count += 1;
  }
}

/**
 * Walks everything below a folder in a fixed order: names by UTF-16 code units, a folder before its content. A walk can therefore continue
 * after any path. Links are never followed.
 *
 * @throws `LOOKUP_TOO_SLOW` if the time ended before the first entry
 */
export async function* walkFolders(
  workspace: Workspace,
  start: string,
  options: FolderWalkOptions,
  report: WalkReport,
): AsyncGenerator<FoundEntry, void> {
  const { time, includeIgnored } = options;
  const rules = includeIgnored ? KEEP_ALL : await time.waitFor(ignoreRules(workspace, start));
  if (rules === undefined) throw tooSlow(start, time);
  const after = options.after === undefined || options.after === "" ? [] : options.after.split("/");
  const level = { start, path: "", rules, after, depth: 0 };
  yield* below(workspace.fs, level, { ...options, turns: new EventLoopYielder() }, report);
}

interface Level {
  start: string;
  path: string;
  rules: InheritedIgnoreRules;
  after: readonly string[];
  depth: number;
}

interface Opened extends Omit<Level, "rules"> {
  rules: IgnoreRules;
  entries: Iterator<DirectoryEntry, undefined>;
}

/** Nested generators would pass every entry through all levels. */
async function* below(
  fs: FileSystem,
  top: Level,
  options: FolderWalkOptions & { turns: EventLoopYielder },
  report: WalkReport,
): AsyncGenerator<FoundEntry, void> {
  const { time } = options;
  const way: Opened[] = [];
  let last: string | undefined;
  const enter = async (level: Level): Promise<boolean> => {
    // Each page gets a minimum time to make progress beyond the continuation.
    const isEnd = last === undefined ? time.isGraceExpired() : time.isExpired();
    const opened = isEnd ? undefined : await time.waitFor(open(fs, level, report));
    if (opened !== undefined) way.push(opened);
    else if (last === undefined) throw tooSlow(folderOf(level), time);
    else report.stoppedAfter = joinPath(level.start, last);
    return opened !== undefined;
  };
  await enter(top);
  for (let level = way.at(-1); level !== undefined; level = way.at(-1)) {
    const { value: entry } = level.entries.next();
    if (entry === undefined) {
      way.pop();
      continue;
    }
    await options.turns.pause();
    const { name, type } = entry;
    const [first, ...rest] = level.after;
    if (first !== undefined && name < first) continue;
    const seen = name === first;
    const path = level.path === "" ? name : `${level.path}/${name}`;
    if (time.isExpired() && last !== undefined) {
      report.stoppedAfter = joinPath(level.start, last);
      return;
    }
    const wanted = !seen || (options.inclusive === true && rest.length === 0);
    if (wanted) last = path;
    if (level.rules.ignores(name, type === "directory")) continue;
    if (wanted) yield { path, type };
    if (type !== "directory") continue;
    if (level.depth === MOST_DEPTH) {
      report.tooDeep.add(joinPath(level.start, path));
      continue;
    }
    const next = { path, rules: level.rules.below(name), after: seen ? rest : [], depth: level.depth + 1 };
    if (!(await enter({ start: level.start, ...next }))) return;
  }
}

function tooSlow(folder: string, { limitMs }: LookupTime): HaftError {
  const message = `${formatFolder(folder)} could not be listed within ${limitMs / 1000} s, so nothing was searched.`;
  return fileToolError("LOOKUP_TOO_SLOW", message, { details: { path: folder, limitMs } });
}

async function open(fs: FileSystem, level: Level, report: WalkReport): Promise<Opened> {
  const { entries, truncated } = await entriesOf(fs, level, report);
  const rules = await level.rules.within(truncated ? undefined : entries);
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { ...level, rules, entries: sorted.values() };
}

function folderOf({ start, path }: Pick<Level, "start" | "path">): string {
  return path === "" ? start : joinPath(start, path);
}

async function entriesOf(
  fs: FileSystem,
  level: Level,
  report: WalkReport,
): Promise<{ entries: DirectoryEntry[]; truncated: boolean }> {
  const folder = folderOf(level);
  try {
    const listed = await fs.list(folder, { limit: MAX_ENTRIES });
    if (listed.truncated) report.overflow.add(folder);
    return listed;
  } catch (error) {
    // The start must exist. A subfolder may be forbidden or missing.
    if (level.depth === 0 || !HaftError.is(error)) throw error;
    if (error.code === "INVALID_PATH") report.tooDeep.add(folder);
    else report.unreadable.add(folder);
    return { entries: [], truncated: false };
  }
}
