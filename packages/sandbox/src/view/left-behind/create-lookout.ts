import { createDenyList } from "@haft/workspace";
import { attempt, findHostProgram, isWithin, makePrivateFolder } from "@haft/workspace/internal/system";
import { lstatSync, readlinkSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InTurn } from "../../launch/in-turn.ts";
import { realOf } from "../git/repository.ts";
import { watchEach } from "../git/watch-each.ts";
import type { Came } from "./came-here.ts";
import { CameHere } from "./came-here.ts";
import type { EntryKind, LookBounds } from "./folder-walk.ts";
import { FolderWalk } from "./folder-walk.ts";
import { KeptAside } from "./kept-aside.ts";
import { NewRepositories } from "./new-repositories.ts";
import { type LeftBehind, noticesOf, notMoved } from "./notices.ts";
import { type LeftOpen, OpenRecord } from "./open-record.ts";
import { isHarmlessFile, SETTINGS_OF_OTHER_SYSTEMS } from "./other-systems.ts";
import { TimesOfCommands } from "./times-of-commands.ts";
import { touchedIn } from "./touched-in.ts";

/** What commands of a view leave behind is looked for with this. */
export interface LookoutOptions {
  /** Folders where commands write, by their real paths. */
  roots: readonly string[];
  /** Shared folders of the repositories that the view holds. */
  repositories: readonly string[];
  /** Globs of settings and start files, as a boundary has them. */
  patterns: readonly string[];
  /** What the view is to hold: of that, what is not there now starts programs once it is. */
  held?: readonly string[];
  /** A private folder that sessions of one workspace share: what was moved aside, which repositories came. */
  folder: string;
  /** How far is looked before the next command starts: 20,000 entries and 250 milliseconds by default, 20 in the likes of `node_modules`. */
  bounds?: Partial<LookBounds>;
  homeDir?: string;
  /** Holds in the view what others than commands made meanwhile. */
  hold?: (paths: readonly string[]) => Promise<void>;
  /** Not there for commands, so not looked into. */
  hidden?: readonly string[];
  /** The look of another program is to be finished. */
  resume?: LeftOpen;
}

/** Looks for what nobody could hold, since it was not there when the view was opened. */
export interface Lookout {
  /** A command starts. Costs next to nothing. */
  before(): void;
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
  /** What was found since this was last asked. */
  report(): LeftBehind;
  /** The repository that git finds from a folder, if a contained command made or brought it. */
  cameFrom(folder: string): Came | undefined;
  /** A person says that such a repository is to be as any other. */
  forget(repository: string): void;
  close(): Promise<void>;
}

/** A first look at what is there goes further: nothing waits for it but the first command's end. */
const FIRST = 4;
/** Of the time, in the background: a quarter. */
const WORK_MS = 8;
const REST_MS = 24;
const FINISH_MS = 60_000;
/** Folders that are named where not all of them were looked at. */
const NAMED = 3;
const PATIENCE_MS = 5000;
const NOTHING = { count: 0, first: [] };

/** Starts a first look at what is there; what follows is compared with that. */
export function createLookout(options: LookoutOptions): Lookout {
  const { roots, repositories, folder, homeDir = homedir(), resume } = options;
  const bounds = { entries: 20_000, ms: 250, lastMs: 20, ...options.bounds };
  const id = crypto.randomUUID();
  const looking = join(folder, "looking", id);
  makePrivateFolder(looking);
  const patterns = [...options.patterns, ...SETTINGS_OF_OTHER_SYSTEMS];
  const list = createDenyList(patterns, { root: roots[0] ?? "/", home: homeDir, roots, rootNames: true });
  const later = new Set(resume?.later ?? options.held?.filter((path) => identityOf(path) === ""));
  const times = new TimesOfCommands(resume?.since);
  const came = new CameHere(join(folder, "came"));
  const kept = new KeptAside(join(folder, "held-back"));
  /** What was there before any command, or came in between. */
  const known = new Map<string, string>(resume?.known);
  let isRemembered = false;
  const isNew = (path: string): boolean => {
    const identity = identityOf(path);
    if (known.get(path) === identity) return false;
    if (times.cover(path)) return true;
    known.set(path, identity);
    isRemembered = false;
    return false;
  };
  const isTouched = (path: string) => times.cover(path);
  const cleaning = { git: findHostProgram("git").program, kept, folder: looking };
  const walk = new FolderWalk();
  const inGit = new NewRepositories({ roots, held: repositories, cleaning, came, walk, isNew, isTouched });
  /** What a look that is under way has found. */
  const found: Pick<LeftBehind, "out" | "came"> = { out: [], came: [] };
  /** As it was at the end of a look, and not yet told. */
  const ready: Omit<LeftBehind, "notices"> = { out: [], came: [], unlooked: NOTHING };
  const moveAside = (path: string, why: string): void => {
    const moved = kept.move(path);
    if (moved !== undefined) found.out.push({ ...moved, why });
  };
  /** Of others: what the view holds, and what it is to hold. */
  const holding = new Set([...(options.held ?? []), ...(resume?.known ?? []).map(([path]) => path)]);
  let theirs: string[] = [];
  const unseen = new Set([folder, ...(options.hidden ?? [])]);
  const lookAt = (at: string, names: Map<string, EntryKind>): void => {
    const isBare = names.has("HEAD") && names.has("objects") && names.has("refs");
    if (isBare) inGit.add(at);
    if (names.has(".git")) inGit.add(join(at, ".git"));
    for (const [name, kind] of names) {
      const path = join(at, name);
      if (unseen.has(path)) names.delete(name);
      if (kind === "other" && leadsInto(path, folder) && isNew(path))
        moveAside(path, "it leads to where commands keep what is not looked through");
      if (!list.denies(path) && !later.has(path)) continue;
      names.delete(name);
      if (!isNew(path)) theirs.push(path);
      else if (!isHarmlessFile(path)) moveAside(path, BY_THEMSELVES);
    }
    if (isBare) names.clear();
  };
  for (const root of roots) walk.add(root, lookAt);
  for (const common of repositories) rememberParts(common, isNew);
  const record = new OpenRecord(join(folder, "open"), id, { roots, repositories, later: [...later] });
  record.remember([...known]);
  if (resume !== undefined) record.before(resume.since);
  /** What could not be moved, and why. */
  const stuck = new Map<string, string>();
  const settle = async (): Promise<void> => {
    for (const path of walk.closed) {
      if (kept.beside.has(path)) continue;
      const at = identityOf(path) === "" ? dirname(path) : path;
      if (isNew(at)) moveAside(at, "nobody can look what is in it");
    }
    const git = await inGit.look();
    found.out.push(...git.out);
    found.came.push(...git.came);
    const held = theirs;
    theirs = [];
    if (held.length > 0) await options.hold?.(held);
    // Until now commands could change what is in there, though it is not theirs.
    for (const path of held.filter((one) => !holding.has(one))) {
      for (const changed of touchedIn(path, isTouched)) moveAside(changed, BY_THEMSELVES);
      holding.add(path);
    }
    for (const [path, why] of kept.stuck()) stuck.set(path, why);
  };
  const isDone = (): boolean => walk.left(0).count === 0;
  let isTold = false;
  /** Since when something is left; and whether that is for the background alone. */
  let leftSince: number | undefined;
  let isForLater = false;
  const endOfLook = (): void => {
    ready.out.push(...found.out.splice(0));
    ready.came.push(...found.came.splice(0));
    ready.unlooked = isDone() || !record.isOpen ? NOTHING : walk.left(NAMED);
    leftSince = isDone() ? undefined : (leftSince ?? performance.now());
    isForLater = walk.isAtLast;
    if (!isDone() || times.isRunning) return;
    if (!isRemembered) record.remember([...known]);
    isRemembered = true;
    record.looked();
    isTold = false;
  };
  const look = async (further: LookBounds): Promise<void> => {
    const until = performance.now() + further.ms;
    await walk.go(further);
    await settle();
    // Repositories that were found just now.
    if (!isDone()) await walk.go({ ...further, ms: until - performance.now(), lastMs: 0 });
  };
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
    while (!isDone()) {
      await sleep(REST_MS, undefined, { ref: false });
      if (closed) return;
      await turns.next(async () => {
        if (closed) return;
        await walk.go({ entries: Infinity, ms: WORK_MS });
        if (isDone()) await settle();
        endOfLook();
      });
    }
  };
  turns
    .next(async () => {
      walk.again();
      await look({ entries: bounds.entries * FIRST, ms: bounds.ms * FIRST });
      endOfLook();
    })
    .then(goOn, goOn);
  // Git would take these at once.
  const watchers = watchEach(repositories, (name, common) => {
    if (name !== "commondir" && name !== "hooks") return;
    inGit.lookAtHeld(common).then(
      (out) => found.out.push(...out),
      () => {},
    );
  });
  return {
    before: () => record.before(times.start()),
    async after(goesOn = false) {
      await turns.next(async () => {
        walk.again();
        await look(bounds);
        times.end(goesOn);
        endOfLook();
      });
      goOn();
    },
    finish: (isEnd = false) =>
      turns.next(async () => {
        if (!record.isOpen) return true;
        walk.again();
        const until = performance.now() + FINISH_MS;
        do await look({ entries: Infinity, ms: until - performance.now() });
        while (!isDone() && performance.now() < until);
        if (isEnd) times.end(false);
        endOfLook();
        return isDone();
      }),
    report() {
      const { unlooked } = ready;
      const all = { out: ready.out.splice(0), came: ready.came.splice(0), unlooked };
      // Once, until all was looked at; and what is left to the background for a moment is no news.
      const isYoung = performance.now() - (leftSince ?? Infinity) < PATIENCE_MS;
      const isNews = !isTold && !(isForLater && isYoung);
      const news = { ...all, unlooked: isNews ? unlooked : NOTHING };
      isTold ||= news.unlooked.count > 0;
      const failed = [...stuck].map(([path, why]) => notMoved(path, why));
      stuck.clear();
      return { ...all, notices: [...noticesOf(news, kept.list), ...failed] };
    },
    cameFrom: (path) => came.find(path),
    forget: (path) => came.forget(path),
    async close() {
      closed = true;
      for (const watcher of watchers) watcher.close();
      await turns.next(async () => {
        record.close();
        rmSync(looking, { recursive: true, force: true });
      });
    },
  };
}

const BY_THEMSELVES = "programs start by it by themselves";

/** What is there of a repository's own can be held, so nobody but the user changes it. */
function rememberParts(common: string, isNew: (path: string) => boolean): void {
  for (const path of [common, ...["commondir", "config.worktree", "hooks"].map((name) => join(common, name))])
    isNew(path);
}

function identityOf(path: string): string {
  const stats = attempt(() => lstatSync(path, { bigint: true }));
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/** Does this link lead below a folder? What it names may come later. */
function leadsInto(link: string, folder: string): boolean {
  const target = attempt(() => readlinkSync(link));
  if (target === undefined) return false;
  for (let at = resolve(dirname(link), target); at !== dirname(at); at = dirname(at)) {
    const real = realOf(at);
    if (real !== undefined) return isWithin(real, folder);
  }
  return false;
}
