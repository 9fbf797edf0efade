import { joinPath } from "@haft/utils";
import { HaftError } from "../contract/errors.ts";
import type { DirectoryEntry, ScanOptions, ScanPage, SkippedFolders } from "../contract/ports.ts";
import { compileGlob } from "./glob.ts";
import { ALL_LEVELS, type FolderRules, type RuleLevel, ruleSteps } from "./ignore-rules.ts";
import { type ScanFiles, wait } from "./scan-files.ts";

/** Limits the entries of one folder. */
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 512;

/** Ends a page: it has enough entries, or took enough time. `beforeFolder`: the next step lists a folder, which may take long. */
export type IsFull = (page: ScanPage, beforeFolder: boolean) => boolean;

interface Level {
  path: string;
  rules: RuleLevel;
  after: readonly string[];
  depth: number;
  /** An earlier page has reported the folder. */
  isKnown: boolean;
}

interface OpenLevel extends Omit<Level, "rules"> {
  rules: FolderRules;
  entries: Iterator<DirectoryEntry, undefined>;
}

/** Yields pages and promises, and returns after the last page. One loop: nested generators would pass each entry through all levels. */
export function* walkSteps(
  files: ScanFiles,
  start: string,
  options: Omit<ScanOptions, "text">,
  isFull: IsFull,
): Generator<unknown, void, unknown> {
  const matches = compileFilter(options.glob);
  const pages = new Pages(isFull);
  const rules = options.includeIgnored === true ? ALL_LEVELS : yield* ruleSteps(files, start);
  const after = options.after === undefined || options.after === "" ? [] : options.after.split("/");
  const first = { path: "", rules, after, depth: 0, isKnown: after.length > 0 };
  const stack = [yield* open(files, start, first, pages)];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const { value: entry } = level.entries.next();
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    const { name, type } = entry;
    const [seen, ...rest] = level.after;
    if (seen !== undefined && name < seen) continue;
    const wasSeen = name === seen;
    const path = level.path === "" ? name : `${level.path}/${name}`;
    const isNew = !wasSeen || (options.inclusive === true && rest.length === 0);
    const isFolder = type === "directory";
    const isVisible = !level.rules.ignores(name, isFolder);
    if (!isVisible && isNew && name !== ".git" && (isFolder || matches(path)))
      addGap(pages.page.ignored, joinPath(start, path));
    if (isVisible && isNew && type === "symlink") addGap(pages.page.links, joinPath(start, path));
    // Before the entry: a page that ends with a folder has listed it, so that a scan after this page does not report it again.
    if (isVisible && isFolder && pages.isEnd(true)) yield pages.take();
    if (isNew) pages.page.last = path;
    if (isVisible && isNew && matches(path)) pages.page.entries.push({ path, type });
    if (isVisible && isFolder) {
      const depth = level.depth + 1;
      if (depth <= MAX_DEPTH) {
        const next = { path, rules: level.rules.below(name), after: wasSeen ? rest : [] };
        stack.push(yield* open(files, start, { ...next, depth, isKnown: !isNew }, pages));
      } else if (isNew) addGap(pages.page.tooDeep, joinPath(start, path));
    }
    if (pages.isEnd(false)) yield pages.take();
  }
  yield pages.takeLast();
}

class Pages {
  page = createPage();
  readonly #isFull: IsFull;

  constructor(isFull: IsFull) {
    this.#isFull = isFull;
  }

  isEnd(beforeFolder: boolean): boolean {
    // A scan after a page needs its last entry.
    return this.page.last !== undefined && this.#isFull(this.page, beforeFolder);
  }

  take(): ScanPage {
    const { page } = this;
    this.page = createPage();
    return page;
  }

  takeLast(): ScanPage {
    return { ...this.page, isLast: true };
  }
}

function createPage(): ScanPage {
  const gap = (): SkippedFolders => ({ count: 0, first: "" });
  const gaps = { unreadable: gap(), overflow: gap(), tooDeep: gap(), ignored: gap(), links: gap() };
  return { entries: [], isLast: false, ...gaps };
}

function addGap(gap: SkippedFolders, folder: string): void {
  if (gap.count === 0) gap.first = folder;
  gap.count += 1;
}

function compileFilter(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined || glob === "") return () => true;
  const compiled = compileGlob(glob);
  if ("problem" in compiled) throw new TypeError(compiled.problem);
  return compiled.matches;
}

function* open(files: ScanFiles, start: string, level: Level, pages: Pages) {
  const folder = level.path === "" ? start : joinPath(start, level.path);
  let listed: { entries: DirectoryEntry[]; truncated: boolean } = { entries: [], truncated: false };
  try {
    listed = yield* wait(files.list(folder, MAX_ENTRIES));
    if (listed.truncated && !level.isKnown) addGap(pages.page.overflow, folder);
  } catch (thrown) {
    // The start must exist. A subfolder may be forbidden or missing.
    if (level.depth === 0 || !HaftError.is(thrown)) throw thrown;
    if (!level.isKnown)
      addGap(thrown.code === "INVALID_PATH" ? pages.page.tooDeep : pages.page.unreadable, folder);
  }
  const rules = yield* level.rules.within(listed.truncated ? undefined : listed.entries);
  const sorted = listed.entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { ...level, rules, entries: sorted.values() } satisfies OpenLevel;
}
