import { type DirectoryEntry, type FileSystem, HaftError, type Workspace } from "@haft/plugin-sdk";
import { joinPath } from "../paths/path-text.ts";
import { Turns } from "../scheduling/turns.ts";
import { ignoreRules, type IgnoreRules, KEEP_ALL, type RulesAbove } from "./ignore-rules.ts";

/** Entries of one folder that are looked at; more make {@link WalkReport.overflow}. */
export const MOST_ENTRIES = 100_000;
/** Deeper than any path the host opens. */
const MOST_DEPTH = 512;

export interface WalkOptions {
  signal: AbortSignal;
  /** Show what ignore files hide (never `.git`). */
  includeIgnored: boolean;
  /** Only what comes after this path, relative to the start. */
  after: string | undefined;
  /** The path to go on after is shown again, when it is still there. */
  inclusive?: boolean;
}

export interface FoundEntry {
  /** Relative to where the walk started. */
  path: string;
  type: DirectoryEntry["type"];
}

/** What a walk could not see, for the notice. */
export class WalkReport {
  /** Folders that could not be listed. */
  readonly unreadable = new Unseen();
  /** Folders with more entries than are looked at. */
  readonly overflow = new Unseen();
  /** Folders whose path is too long, or which lie too deep, to be looked into. */
  readonly tooDeep = new Unseen();

  get folders(): number {
    return this.unreadable.count + this.overflow.count + this.tooDeep.count;
  }
}

/** Folders counted, the first of them by name. */
export class Unseen {
  count = 0;
  first = "";

  add(folder: string): void {
    if (this.count === 0) this.first = folder;
    this.count += 1;
  }
}

/**
 * Everything below a folder, in one fixed order: names by UTF-16 code units, a folder right before
 * its content. So a walk can go on after any path without remembering anything. Links are named,
 * never followed.
 */
export async function* walk(
  workspace: Workspace,
  start: string,
  options: WalkOptions,
  report: WalkReport,
): AsyncGenerator<FoundEntry, void> {
  const rules = options.includeIgnored ? KEEP_ALL : await ignoreRules(workspace, start);
  const after = options.after === undefined || options.after === "" ? [] : options.after.split("/");
  const level = { start, path: "", rules, after, depth: 0 };
  yield* below(workspace.fs, level, { ...options, turns: new Turns() }, report);
}

interface Level {
  start: string;
  /** Relative to the start; empty for the start itself. */
  path: string;
  rules: RulesAbove;
  /** What is left of the path to go on after; empty when this whole folder comes after it. */
  after: readonly string[];
  depth: number;
}

/** A folder on the way to the entry that is looked at. */
interface Opened extends Omit<Level, "rules"> {
  rules: IgnoreRules;
  /** What is in it, in order, from the next one on. */
  entries: Iterator<DirectoryEntry, undefined>;
}

/** One loop over all levels: generators inside of each other would pass every entry up through all of them. */
async function* below(
  fs: FileSystem,
  top: Level,
  options: WalkOptions & { turns: Turns },
  report: WalkReport,
): AsyncGenerator<FoundEntry, void> {
  const way = [await open(fs, top, report)];
  for (let level = way.at(-1); level !== undefined; level = way.at(-1)) {
    const { value: entry } = level.entries.next();
    if (entry === undefined) {
      way.pop();
      continue;
    }
    await options.turns.pause();
    options.signal.throwIfAborted();
    const { name, type } = entry;
    const [first, ...rest] = level.after;
    if (first !== undefined && name < first) continue;
    const seen = name === first;
    if (level.rules.ignores(name, type === "directory")) continue;
    const path = level.path === "" ? name : `${level.path}/${name}`;
    if (!seen || (options.inclusive === true && rest.length === 0)) yield { path, type };
    if (type !== "directory") continue;
    if (level.depth === MOST_DEPTH) {
      report.tooDeep.add(joinPath(level.start, path));
      continue;
    }
    const next = { path, rules: level.rules.below(name), after: seen ? rest : [], depth: level.depth + 1 };
    way.push(await open(fs, { start: level.start, ...next }, report));
  }
}

async function open(fs: FileSystem, level: Level, report: WalkReport): Promise<Opened> {
  const { entries, truncated } = await entriesOf(fs, level, report);
  const rules = await level.rules.within(truncated ? undefined : entries);
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { ...level, rules, entries: sorted.values() };
}

async function entriesOf(
  fs: FileSystem,
  level: Level,
  report: WalkReport,
): Promise<{ entries: DirectoryEntry[]; truncated: boolean }> {
  const folder = level.path === "" ? level.start : joinPath(level.start, level.path);
  try {
    const listed = await fs.list(folder, { limit: MOST_ENTRIES });
    if (listed.truncated) report.overflow.add(folder);
    return listed;
  } catch (error) {
    // The folder asked for must be there; one below it may be forbidden or gone.
    if (level.depth === 0 || !HaftError.is(error)) throw error;
    if (error.code === "INVALID_PATH") report.tooDeep.add(folder);
    else report.unreadable.add(folder);
    return { entries: [], truncated: false };
  }
}
