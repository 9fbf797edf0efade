import { HaftError, messageOf } from "@haft/core";
import { makePrivateFolder } from "@haft/workspace/internal/system";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containmentError } from "../../errors.ts";
import { InTurn } from "../../launch/in-turn.ts";
import { coveringFolders, MOST_COVERS } from "../git/find-repositories.ts";
import { watchEach } from "../git/watch-each.ts";
import { type Came, CameHere } from "./came-here.ts";
import type { LookBounds } from "./folder-walk.ts";
import { endedNotice, type LeftBehind, noticesOf, notMoved } from "./notices.ts";
import { OpenRecord } from "./open-record.ts";
import { Search, type SearchOptions } from "./search.ts";
import { TimesOfCommands } from "./times-of-commands.ts";
import { FolderWatch } from "./walk/folder-watch.ts";

export interface LookoutOptions extends SearchOptions, Restricting {
  /** How far is looked before the next command starts: 20,000 entries and 250 milliseconds by default, 20 in the likes of `node_modules`. */
  bounds?: Partial<LookBounds>;
  warn?: ((notices: readonly string[]) => void) | undefined;
}

export interface Restricting {
  restrict?: (folders: readonly string[]) => Promise<void>;
  release?: () => Promise<void>;
}

/** Looks for what nobody could hold, since it was not there when the view was opened. */
export interface Lookout {
  /**
   * A command starts when this is done. What others made since the last look is held by then, and nothing can be written in what was not
   * looked at yet. What comes from now on counts as the command's work.
   */
  before(): Promise<void>;
  /**
   * After the answer to a command, and before the next one starts: what it left that others would run is moved aside. What the bounds
   * leave is looked at afterwards, a little at a time.
   *
   * @param goesOn something that it started still runs, so what changes from now on may be its work, too
   */
  after(goesOn?: boolean): Promise<void>;
  /**
   * Looks at everything. False when that took longer than a minute: it goes on.
   *
   * @param isEnd nothing runs any more, and no command will
   */
  finish(isEnd?: boolean): Promise<boolean>;
  /** These start programs from now on. @param held what the view holds, also what is not there yet */
  expect(held: readonly string[], patterns: readonly string[]): void;
  report(): LeftBehind;
  cameFrom(folder: string): Came | undefined;
  forget(repository: string): void;
  close(): Promise<void>;
}

/** A first look at what is there goes further: nothing waits for it but the first command's end. */
const FIRST = 4;
/** Of the time, in the background: a quarter. */
const WORK_MS = 8;
const REST_MS = 24;
const FINISH_MS = 60_000;
/** A command waits so long for what others made since the last look to be searched. */
const UNSEARCHED_MS = 1000;
const SEARCH_MS = 100;
const NAMED = 3;
const PATIENCE_MS = 5000;
const NOTHING = { count: 0, first: [] };

/** Starts a first look to compare with. Throws `CONTAINMENT_UNAVAILABLE` where that cannot be noted. */
export function createLookout(options: LookoutOptions): Lookout {
  return noting(options.folder, () => beginLookout(options));
}

/** Without a note nobody would look after commands whose host is killed: none begins. */
function noting<T>(folder: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      `it cannot be noted in ${folder} what they leave: ${messageOf(thrown).replace(/\.$/, "")}`,
      "Make room on that disk, or see to it that this user can write there.",
      { cause: thrown },
    );
  }
}

function beginLookout(options: LookoutOptions): Lookout {
  const { roots, repositories, folder, resume } = options;
  const bounds = { entries: 20_000, ms: 250, lastMs: 20, ...options.bounds };
  const id = crypto.randomUUID();
  const looking = join(folder, "looking", id);
  makePrivateFolder(looking);
  const times = new TimesOfCommands(resume?.since, options.slackMs);
  const came = new CameHere(join(folder, "came"));
  const search = new Search(options, looking, times, came);
  const record = new OpenRecord(join(folder, "open"), id, { roots, repositories, later: [...search.later] });
  search.remember(record);
  if (resume !== undefined) record.before(resume.since);
  const findings = new Findings(search, times, record, options.warn);
  const turns = new InTurn();
  let closed = false;
  let goingOn: Promise<void> | undefined;
  const goOn = (): void => {
    goingOn ??= inBackground()
      // What was not looked at stays so, and is looked at with the next command.
      .catch(() => {})
      .finally(() => (goingOn = undefined));
  };
  const inBackground = async (): Promise<void> => {
    while (!search.isDone) {
      await sleep(REST_MS, undefined, { ref: false });
      if (closed) return;
      await turns.next(async () => {
        if (closed) return;
        await search.lookOn(WORK_MS);
        await releaseSearched();
        findings.endOfLook();
      });
    }
  };
  const restrictUnsearched = async (): Promise<void> => {
    const until = performance.now() + UNSEARCHED_MS;
    let left = search.unsearched();
    for (; left.length > 0; left = search.unsearched()) {
      const isLate = performance.now() > until;
      const folders = isLate ? coveringFolders(left, roots, MOST_COVERS) : undefined;
      if (folders !== undefined) return options.restrict?.(folders);
      await search.look({ entries: bounds.entries, ms: SEARCH_MS });
    }
  };
  const watched = new FolderWatch(looking, roots);
  const again = (): void => {
    watched.reset();
    search.again();
  };
  const releaseSearched = async (): Promise<void> => {
    if (!search.isDone) return;
    await options.release?.();
    // Until then each command is looked before.
    watched.follow(search.read).catch(() => {});
  };
  const first = turns.next(async () => {
    again();
    await search.look({ entries: bounds.entries * FIRST, ms: bounds.ms * FIRST });
    await releaseSearched();
    findings.endOfLook();
  });
  first.then(goOn, goOn);
  // Git would take these at once.
  const watchers = watchEach(repositories, (name, common) => {
    if (name === "commondir" || name === "hooks") search.lookAtHeld(common).catch(() => {});
  });
  return {
    async before() {
      const done = search.doneSince;
      const since = done ?? search.goesOnSince;
      noting(folder, () => record.before(times.start(since)));
      if (done !== undefined) return;
      await turns.next(async () => {
        if (await watched.isQuiet()) return;
        if (since === undefined) again();
        await search.look(bounds);
        await restrictUnsearched();
        // If this program is killed, the next one takes nothing of it for the command's.
        search.remember(record);
        findings.endOfLook();
      });
    },
    async after(goesOn = false) {
      await turns.next(async () => {
        const now = Date.now();
        if (search.isDone && (await watched.isQuiet())) search.again(now, true);
        else again();
        await search.look(bounds);
        await releaseSearched();
        times.end(goesOn);
        findings.endOfLook();
      });
      goOn();
    },
    finish: (isEnd = false) =>
      turns.next(async () => {
        if (!record.isOpen) return true;
        again();
        const until = performance.now() + FINISH_MS;
        do await search.look({ entries: Infinity, ms: until - performance.now() });
        while (!search.isDone && performance.now() < until);
        if (isEnd) times.end(false);
        findings.endOfLook();
        return search.isDone;
      }),
    expect(held, patterns) {
      search.expect(held, patterns);
      watched.reset();
    },
    report: () => findings.report(),
    cameFrom: (path) => came.find(path),
    forget: (path) => came.forget(path),
    async close() {
      closed = true;
      search.close();
      for (const watcher of watchers) watcher.close();
      watched.close();
      await turns.next(async () => {
        record.close();
        rmSync(looking, { recursive: true, force: true });
      });
    },
  };
}

class Findings {
  readonly #search: Search;
  readonly #times: TimesOfCommands;
  readonly #record: OpenRecord;
  readonly #ready: Omit<LeftBehind, "notices"> = { out: [], came: [], ended: [], unlooked: NOTHING };
  #isTold = false;
  #leftSince: number | undefined;
  #isForLater = false;

  readonly #warn: LookoutOptions["warn"];

  constructor(search: Search, times: TimesOfCommands, record: OpenRecord, warn: LookoutOptions["warn"]) {
    this.#warn = warn;
    this.#search = search;
    this.#times = times;
    this.#record = record;
  }

  endOfLook(): void {
    const { isDone, isAtLast } = this.#search;
    const { out, came, ended } = this.#search.take();
    this.#ready.ended.push(...ended);
    if (ended.length > 0) this.#warn?.(ended.map(endedNotice));
    this.#ready.out.push(...out);
    this.#ready.came.push(...came);
    this.#ready.unlooked = isDone || !this.#record.isOpen ? NOTHING : this.#search.left(NAMED);
    this.#leftSince = isDone ? undefined : (this.#leftSince ?? performance.now());
    this.#isForLater = isAtLast;
    if (!isDone || this.#times.isRunning) return;
    this.#search.remember(this.#record);
    this.#record.looked();
    this.#isTold = false;
  }

  report(): LeftBehind {
    const { out, came, ended, unlooked } = this.#ready;
    const all = { out: out.splice(0), came: came.splice(0), ended: ended.splice(0), unlooked };
    // Once, until all was looked at; and what is left to the background for a moment is no news.
    const isYoung = performance.now() - (this.#leftSince ?? Infinity) < PATIENCE_MS;
    const isNews = !this.#isTold && !(this.#isForLater && isYoung);
    const news = { ...all, unlooked: isNews ? unlooked : NOTHING };
    this.#isTold ||= news.unlooked.count > 0;
    const failed = this.#search.stuck().map(([path, why]) => notMoved(path, why));
    const notes = this.#search.notes();
    return { ...all, notices: [...noticesOf(news, this.#search.kept.list), ...notes, ...failed] };
  }
}
