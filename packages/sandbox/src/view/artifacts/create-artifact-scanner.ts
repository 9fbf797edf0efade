import { HaftError, getErrorMessage } from "@haft/core";
import { makePrivateFolder } from "@haft/system";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containmentError } from "../../errors.ts";
import { Mutex } from "../../launch/mutex.ts";
import { coveringFolders, MAX_COVERING_FOLDERS } from "../git/find-repositories.ts";
import { watchFolders } from "../git/watch-folders.ts";
import { ArtifactSearch, type ArtifactSearchOptions } from "./artifact-search.ts";
import { CommandTimes } from "./command-times.ts";
import type { ScanBounds } from "./folder-walk.ts";
import { formatEndedNotice, type ArtifactReport, formatNotices, formatNotMovedNotice } from "./notices.ts";
import { type ProvenanceRecord, RepositoryProvenance } from "./repository-provenance.ts";
import { ScanRecord } from "./scan-record.ts";
import { FolderWatch } from "./walk/folder-watch.ts";

export interface ArtifactScannerOptions extends ArtifactSearchOptions, WriteRestriction {
  /** Default: 20,000 entries and 250 ms, 20 ms in folders such as `node_modules`. */
  bounds?: Partial<ScanBounds>;
  warn?: ((notices: readonly string[]) => void) | undefined;
}

export interface WriteRestriction {
  restrict?: (folders: readonly string[]) => Promise<void>;
  release?: () => Promise<void>;
}

/** Finds artifacts at paths that no mount could protect, because they did not exist when the view was opened. */
export interface ArtifactScanner {
  /** Must complete before a command starts: protects others' files, makes unscanned folders read-only. Later changes are the command's. */
  before(): Promise<void>;
  /** Moves artifacts aside, before the next command. Continues in the background. `goesOn`: a process of the command still runs. */
  after(goesOn?: boolean): Promise<void>;
  /** Scans everything. Returns false after a minute; the scan continues. `isEnd`: no command will run. */
  finish(isEnd?: boolean): Promise<boolean>;
  expect(held: readonly string[], patterns: readonly string[]): void;
  report(): ArtifactReport;
  findProvenance(folder: string): ProvenanceRecord | undefined;
  forget(repository: string): void;
  close(): Promise<void>;
}

/** Only the end of the first command waits for the first scan. */
const FIRST = 4;
const WORK_MS = 8;
const REST_MS = 24;
const FINISH_MS = 60_000;
const UNSEARCHED_MS = 1000;
const SEARCH_MS = 100;
const NAMED = 3;
const PATIENCE_MS = 5000;
const NOTHING = { count: 0, first: [] };

/** Throws `CONTAINMENT_UNAVAILABLE` if it cannot write records. */
export function createArtifactScanner(options: ArtifactScannerOptions): ArtifactScanner {
  return noting(options.folder, () => startScanner(options));
}

/** A killed host's commands would never be checked, so no command starts. */
function noting<T>(folder: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      `the record of their files in ${folder} cannot be written: ${getErrorMessage(thrown).replace(/\.$/, "")}`,
      "Free space on that disk, or allow this user to write there.",
      { cause: thrown },
    );
  }
}

function startScanner(options: ArtifactScannerOptions): ArtifactScanner {
  const { roots, repositories, folder, resume } = options;
  const bounds = { entries: 20_000, ms: 250, lastMs: 20, ...options.bounds };
  const id = crypto.randomUUID();
  const workFolder = join(folder, "looking", id);
  makePrivateFolder(workFolder);
  const times = new CommandTimes(resume?.since, options.slackMs);
  const came = new RepositoryProvenance(join(folder, "came"));
  const search = new ArtifactSearch(options, workFolder, times, came);
  const record = new ScanRecord(join(folder, "open"), id, { roots, repositories, later: [...search.later] });
  search.remember(record);
  if (resume !== undefined) record.markStarted(resume.since);
  const findings = new Findings(search, times, record, options.warn);
  const turns = new Mutex();
  let closed = false;
  let goingOn: Promise<void> | undefined;
  const goOn = (): void => {
    goingOn ??= inBackground()
      // The next command repeats it.
      .catch(() => {})
      .finally(() => (goingOn = undefined));
  };
  const inBackground = async (): Promise<void> => {
    while (!search.isDone) {
      await sleep(REST_MS, undefined, { ref: false });
      if (closed) return;
      await turns.runExclusive(async () => {
        if (closed) return;
        await search.continueScan(WORK_MS);
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
      const folders = isLate ? coveringFolders(left, roots, MAX_COVERING_FOLDERS) : undefined;
      if (folders !== undefined) return options.restrict?.(folders);
      await search.scan({ entries: bounds.entries, ms: SEARCH_MS });
    }
  };
  const watched = new FolderWatch(workFolder, roots);
  const again = (): void => {
    watched.reset();
    search.again();
  };
  const releaseSearched = async (): Promise<void> => {
    if (!search.isDone) return;
    await options.release?.();
    // Until then, each command needs a scan.
    watched.follow(search.read).catch(() => {});
  };
  const first = turns.runExclusive(async () => {
    again();
    await search.scan({ entries: bounds.entries * FIRST, ms: bounds.ms * FIRST });
    await releaseSearched();
    findings.endOfLook();
  });
  first.then(goOn, goOn);
  // Git would use these at once.
  const watchers = watchFolders(repositories, (name, common) => {
    if (name === "commondir" || name === "hooks") search.scanProtected(common).catch(() => {});
  });
  return {
    async before() {
      const done = search.doneSince;
      const since = done ?? search.goesOnSince;
      noting(folder, () => record.markStarted(times.start(since)));
      if (done !== undefined) return;
      await turns.runExclusive(async () => {
        if (await watched.isQuiet()) return;
        if (since === undefined) again();
        await search.scan(bounds);
        await restrictUnsearched();
        // After a kill, the next process must not count these files as the command's.
        search.remember(record);
        findings.endOfLook();
      });
    },
    async after(goesOn = false) {
      await turns.runExclusive(async () => {
        const now = Date.now();
        if (search.isDone && (await watched.isQuiet())) search.again(now, true);
        else again();
        await search.scan(bounds);
        await releaseSearched();
        times.end(goesOn);
        findings.endOfLook();
      });
      goOn();
    },
    finish: (isEnd = false) =>
      turns.runExclusive(async () => {
        if (!record.isOpen) return true;
        again();
        const until = performance.now() + FINISH_MS;
        do await search.scan({ entries: Infinity, ms: until - performance.now() });
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
    findProvenance: (path) => came.find(path),
    forget: (path) => came.forget(path),
    async close() {
      closed = true;
      search.close();
      for (const watcher of watchers) watcher.close();
      watched.close();
      await turns.runExclusive(async () => {
        record.close();
        rmSync(workFolder, { recursive: true, force: true });
      });
    },
  };
}

class Findings {
  readonly #search: ArtifactSearch;
  readonly #times: CommandTimes;
  readonly #record: ScanRecord;
  readonly #ready: Omit<ArtifactReport, "notices"> = {
    quarantined: [],
    newRepositories: [],
    endedPlanters: [],
    unscanned: NOTHING,
  };
  #isReported = false;
  #leftSince: number | undefined;
  #isForLater = false;

  readonly #warn: ArtifactScannerOptions["warn"];

  constructor(
    search: ArtifactSearch,
    times: CommandTimes,
    record: ScanRecord,
    warn: ArtifactScannerOptions["warn"],
  ) {
    this.#warn = warn;
    this.#search = search;
    this.#times = times;
    this.#record = record;
  }

  endOfLook(): void {
    const { isDone, isAtLast } = this.#search;
    const { quarantined, newRepositories, endedPlanters } = this.#search.take();
    this.#ready.endedPlanters.push(...endedPlanters);
    if (endedPlanters.length > 0) this.#warn?.(endedPlanters.map(formatEndedNotice));
    this.#ready.quarantined.push(...quarantined);
    this.#ready.newRepositories.push(...newRepositories);
    this.#ready.unscanned = isDone || !this.#record.isOpen ? NOTHING : this.#search.remaining(NAMED);
    this.#leftSince = isDone ? undefined : (this.#leftSince ?? performance.now());
    this.#isForLater = isAtLast;
    if (!isDone || this.#times.isRunning) return;
    this.#search.remember(this.#record);
    this.#record.markScanned();
    this.#isReported = false;
  }

  report(): ArtifactReport {
    const { quarantined, newRepositories, endedPlanters, unscanned } = this.#ready;
    const all = {
      quarantined: quarantined.splice(0),
      newRepositories: newRepositories.splice(0),
      endedPlanters: endedPlanters.splice(0),
      unscanned,
    };
    const isYoung = performance.now() - (this.#leftSince ?? Infinity) < PATIENCE_MS;
    const isNews = !this.#isReported && !(this.#isForLater && isYoung);
    const news = { ...all, unscanned: isNews ? unscanned : NOTHING };
    this.#isReported ||= news.unscanned.count > 0;
    const failed = this.#search.stuck().map(([path, why]) => formatNotMovedNotice(path, why));
    const notes = this.#search.notes();
    return { ...all, notices: [...formatNotices(news, this.#search.quarantine.list), ...notes, ...failed] };
  }
}
