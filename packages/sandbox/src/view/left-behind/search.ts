import { createDenyList, type DenyList } from "@haft/workspace";
import { findHostProgram, SETTINGS_OF_OTHER_SYSTEMS } from "@haft/workspace/internal/system";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EntryKind } from "../../mounts/read-folder.ts";
import { identityOf } from "../../mounts/stats.ts";
import { UntrackedSecrets } from "../git-index/untracked-secrets.ts";
import { UnwrittenFiles } from "../git-index/unwritten-files.ts";
import { looksBare } from "../git/repository.ts";
import { readWhole } from "../git/write/write-in-place.ts";
import { KeptAside } from "../quarantine/kept-aside.ts";
import { quarantineOf, restoredIn } from "../quarantine/restore-kept.ts";
import { RestoredFiles } from "../quarantine/restored-files.ts";
import type { CameHere } from "./came-here.ts";
import { FolderWalk, type LookBounds } from "./folder-walk.ts";
import { findBehind, foldersOf, InstalledPackages, leadsAway, type UnlookedPlaces } from "./links.ts";
import { MountedPaths } from "./mounted-paths.ts";
import { type Adopt, NewRepositories, partsOf } from "./new-repositories.ts";
import type { LeftBehind } from "./notices.ts";
import type { LeftOpen, OpenRecord } from "./open-record.ts";
import type { EndedPlanter } from "./planters/end-planter.ts";
import { SettingsLinks } from "./settings-links.ts";
import { type TimesOfCommands, touchedIn } from "./times-of-commands.ts";
import type { ReadFolder } from "./walk/folder-watch.ts";
import { KnownPaths } from "./walk/known-paths.ts";

export interface SearchOptions {
  roots: readonly string[];
  repositories: readonly string[];
  patterns: readonly string[];
  /** What the view is to hold: of that, what is not there now starts programs once it is. */
  held?: readonly string[];
  /** A private folder that sessions of one workspace share: what was moved aside, which repositories came. */
  folder: string;
  homeDir?: string;
  hold?: (paths: readonly string[]) => Promise<void>;
  adopt?: Adopt | undefined;
  /** Ends the processes of the view that write a path again and again. See {@link endPlanter}. */
  endPlanter?: ((path: string, clear: () => void) => Promise<EndedPlanter | undefined>) | undefined;
  hidden?: readonly string[];
  caches?: readonly string[];
  /** By which change times may differ from the clock of this machine, in milliseconds; 0 by default. */
  slackMs?: number;
  resume?: LeftOpen;
}

/** A command that starts so shortly after a look needs no other one: what came since the look began counts as its work. */
const FRESH_MS = 50;
/** The same of a look that is not done: it goes on. */
const YOUNG_MS = 200;
const TRY_AGAIN_MS = 5000;
/** So long a file stays while another git holds the lock of the index. */
const LOCKED_MS = 2000;
const LOCK_STEP_MS = 20;
const BY_THEMSELVES = "programs start by it by themselves";
const WHERE_FROM =
  /^(?:\s*(?:[#;].*)?\n)*(?:\[paths\]\n(?:\s*(?:[#;].*)?\n|default(?:-push)? = (?:https?|ssh):\/\/[A-Za-z\d][\w.@:/~%+-]*\n)*)?$/;

/** A file as `hg clone` leaves it, which says where the repository came from and starts no program. */
function isHarmlessFile(path: string): boolean {
  return basename(path) === "hgrc" && WHERE_FROM.test(`${readWhole(path)?.toString("latin1") ?? "?"}\n`);
}

/** Finds what commands left that others would run, and moves it aside. Knows nothing of when it is to look. */
export class Search {
  readonly kept: KeptAside;
  readonly later: Set<string>;
  readonly #times: TimesOfCommands;
  readonly #restored: RestoredFiles;
  readonly #patterns: Set<string>;
  readonly #makeLists: () => Record<"settings" | "folders", DenyList>;
  #lists: Record<"settings" | "folders", DenyList>;
  readonly #walk: FolderWalk;
  readonly #inGit: NewRepositories;
  readonly #packages: InstalledPackages;
  readonly #mounted = new MountedPaths();
  readonly #unwritten: UnwrittenFiles;
  readonly #untracked: UntrackedSecrets;
  readonly #notes: string[] = [];
  /** Were covered by a mount, and are another file now. */
  readonly #replaced = new Set<string>();
  /** To be moved once no other git holds the lock of the index. */
  readonly #waiting = new Map<string, string>();
  readonly #links: SettingsLinks;
  /** Links through which a folder may get the name of settings. */
  readonly #linked = new Set<string>();
  readonly #unlooked: UnlookedPlaces;
  readonly #unseen: ReadonlySet<string>;
  readonly #known: KnownPaths;
  readonly #found: Pick<LeftBehind, "out" | "came" | "ended"> = { out: [], came: [], ended: [] };
  readonly #tried = new Map<string, number>();
  readonly #options: SearchOptions;
  readonly #holding: Set<string>;
  #theirs: string[] = [];
  readonly #stuck = new Map<string, string>();

  /** @param looking a private folder of this search alone */
  constructor(options: SearchOptions, looking: string, times: TimesOfCommands, came: CameHere) {
    const { roots, repositories, folder, held = [], hidden = [], homeDir = homedir(), resume } = options;
    this.#options = options;
    this.#walk = new FolderWalk(options.slackMs, (changed) => times.include(changed));
    this.#times = times;
    this.kept = new KeptAside(quarantineOf(folder), [...roots, ...repositories]);
    this.#restored = new RestoredFiles(restoredIn(folder));
    this.#patterns = new Set([...options.patterns, ...SETTINGS_OF_OTHER_SYSTEMS]);
    const ground = { root: roots[0] ?? "/", home: homeDir, roots, rootNames: true };
    this.#makeLists = () => ({
      settings: createDenyList([...this.#patterns], ground),
      folders: createDenyList(foldersOf([...this.#patterns]), ground),
    });
    this.#lists = this.#makeLists();
    this.later = new Set(resume?.later ?? held.filter((path) => identityOf(path) === ""));
    const isTouched = (path: string): boolean => this.#isTouched(path);
    this.#known = new KnownPaths({
      known: resume?.known,
      isTouched,
      isTheirs: (path, identity) => this.#mounted.hasFile(identity) || this.#restored.cover(path),
    });
    this.#holding = new Set([...held, ...(resume?.known ?? []).map(([path]) => path)]);
    this.#packages = new InstalledPackages(roots);
    this.#unwritten = new UnwrittenFiles(isTouched);
    this.#untracked = new UntrackedSecrets(hidden, [...roots, ...repositories], isTouched);
    if (resume === undefined) for (const path of held) this.#mounted.add(path);
    this.#unseen = new Set([folder, ...hidden]);
    this.#unlooked = { roots, folders: [folder, ...repositories, ...(options.caches ?? [])] };
    this.#inGit = new NewRepositories({
      roots,
      held: repositories,
      closed: held,
      adopt: options.adopt,
      cleaning: { git: findHostProgram("git").program, kept: this.kept, folder: looking },
      came,
      walk: this.#walk,
      isNew: (path, below) => this.#known.isNew(path, below),
      isTouched,
      holds: (path) => this.#mounted.add(path),
    });
    this.#links = new SettingsLinks({
      roots,
      isTouched,
      hold: async (paths) => this.#options.hold?.(paths),
      moveAside: (path) => this.#moveAside(path, "a link of the user's settings leads there"),
    });
    for (const path of held) this.#links.add(path);
    for (const root of roots) this.#walk.add(root, (...found) => this.#lookAt(...found));
    // What is there of a repository's own can be held, so nobody but the user changes it.
    for (const common of repositories) for (const part of partsOf(common)) this.#known.isNew(part);
  }

  #began = 0;
  /** When the last look that saw everything began and ended, in milliseconds. */
  #seen = { from: 0, to: 0 };

  /** When a look began that has seen everything and ended just now. */
  get doneSince(): number | undefined {
    const age = Date.now() - this.#seen.to;
    return age >= 0 && age < FRESH_MS ? this.#seen.from : undefined;
  }

  get goesOnSince(): number | undefined {
    const age = Date.now() - this.#began;
    return !this.isDone && age >= 0 && age < YOUNG_MS ? this.#began : undefined;
  }

  get isDone(): boolean {
    return this.#walk.left(0).count === 0;
  }

  get isAtLast(): boolean {
    return this.#walk.isAtLast;
  }

  /** What starts programs from now on. @param held what the view holds, also what is not there yet */
  expect(held: readonly string[], patterns: readonly string[]): void {
    for (const path of held) {
      this.#links.add(path);
      if (identityOf(path) === "") this.later.add(path);
    }
    const count = this.#patterns.size;
    for (const pattern of patterns) this.#patterns.add(pattern);
    if (this.#patterns.size === count) return;
    this.#seen = { from: 0, to: 0 };
    this.#lists = this.#makeLists();
    // What is called so may be there, in folders that did not change.
    this.#walk.forget();
  }

  get read(): ReadonlyMap<string, ReadFolder> {
    return this.#walk.read;
  }

  left(named: number): LeftBehind["unlooked"] {
    return this.#walk.left(named);
  }

  /** All is to be looked at once more. @param isQuiet but for folders: until then nothing came into them or went */
  again(now = Date.now(), isQuiet = false): void {
    this.#began = now;
    if (!isQuiet) this.#walk.again();
  }

  /** Folders that were never read, but for those that commands made: what is in there counts as theirs. */
  unsearched(): string[] {
    return this.#walk.unread().filter((path) => !this.#times.cover(path));
  }

  async look(further: LookBounds): Promise<void> {
    const until = performance.now() + further.ms;
    await this.#walk.go(further);
    await this.#settle();
    // Repositories that were found just now.
    if (!this.isDone) await this.#walk.go({ ...further, ms: until - performance.now(), lastMs: 0 });
    await this.#moveWaiting();
  }

  async lookOn(ms: number): Promise<void> {
    await this.#walk.go({ entries: Infinity, ms });
    if (this.isDone) await this.#settle();
    await this.#moveWaiting();
  }

  /** Git would take at once what comes into a repository that the view holds. */
  async lookAtHeld(common: string): Promise<void> {
    this.#found.out.push(...(await this.#inGit.lookAtHeld(common)));
  }

  /** What was found since this was last asked. */
  take(): Pick<LeftBehind, "out" | "came" | "ended"> {
    const { out, came, ended } = this.#found;
    return { out: out.splice(0), came: came.splice(0), ended: ended.splice(0) };
  }

  /** What could not be moved since this was last asked, and why. */
  stuck(): [path: string, why: string][] {
    const all = [...this.#stuck];
    this.#stuck.clear();
    return all;
  }

  /** What a person has to know and was not moved, since this was last asked. */
  notes(): string[] {
    return [...this.#inGit.notes(), ...this.#notes.splice(0)];
  }

  /** Has what is known written down, unless it is. */
  remember(record: OpenRecord): void {
    if (!this.#known.isRemembered) record.remember(this.#known.all, this.#inGit.held);
    this.#known.isRemembered = true;
  }

  /** What came back after it was moved aside is written by a process that still runs. */
  async #endPlanters(): Promise<void> {
    const { endPlanter } = this.#options;
    for (const [path, count] of this.kept.takeAgain()) {
      if (endPlanter === undefined || !this.#times.isRunning) continue;
      const now = Date.now();
      if (now - (this.#tried.get(path) ?? 0) < TRY_AGAIN_MS) continue;
      const ended = await endPlanter(path, () => this.#moveAside(path, BY_THEMSELVES, false));
      this.#tried.set(path, Date.now());
      if (ended !== undefined) this.#found.ended.push({ path, count, ...ended });
    }
    // What was moved while the writer was looked for is no return.
    this.kept.takeAgain();
  }

  #isTouched(path: string): boolean {
    return this.#times.cover(path) && !this.#mounted.cover(path) && !this.#restored.cover(path);
  }

  /** The wall is put up first: what commands do until then is told, and later they can do nothing. */
  async #sortReplaced(): Promise<void> {
    const replaced = [...this.#replaced];
    this.#replaced.clear();
    if (replaced.length > 0) await this.#options.hold?.(replaced);
    for (const path of replaced) {
      if (await this.#mounted.wasReplaced(path)) {
        this.#known.add(path);
        this.#theirs.push(path);
      } else if (this.#known.isNew(path) && !isHarmlessFile(path)) this.#moveAside(path, BY_THEMSELVES);
    }
  }

  close(): void {
    this.kept.close();
    this.#mounted.close();
  }

  #moveAside(path: string, why: string, mayWait = true): void {
    const moved = mayWait ? this.kept.moveUnlessLocked(path, why) : this.kept.move(path, why);
    if (moved === "locked") this.#waiting.set(path, why);
    else this.#found.out.push(...moved);
  }

  /** Until the locks of the indexes are gone. Commands can leave such a lock, so at last the files are moved all the same. */
  async #moveWaiting(): Promise<void> {
    const until = performance.now() + LOCKED_MS;
    while (this.#waiting.size > 0) {
      await sleep(LOCK_STEP_MS);
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const [path, why] of waiting) this.#moveAside(path, why, performance.now() < until);
    }
  }

  #lookAt(at: string, names: Map<string, EntryKind>, isBrought: boolean): void {
    const { settings, folders } = this.#lists;
    const add = (git: string): void => {
      if (isBrought) this.#known.addBrought(git);
      this.#inGit.add(git);
    };
    if (looksBare(names)) add(at);
    if (names.has(".git")) add(join(at, ".git"));
    const isOfPackages = this.#packages.contain(at);
    for (const [name, kind] of names) {
      const path = join(at, name);
      if (this.#unseen.has(path)) names.delete(name);
      const isSetting = settings.denies(path) || this.later.has(path);
      if (isBrought && (isSetting || kind === "other")) this.#known.addBrought(path);
      if (kind === "other") this.#lookAtLink(path, isOfPackages || !folders.denies(path));
      if (!isSetting || (isOfPackages && !this.later.has(path))) continue;
      names.delete(name);
      if (!this.#known.isNew(path)) this.#theirs.push(path);
      else if (this.#mounted.has(path)) this.#replaced.add(path);
      else if (!isHarmlessFile(path)) this.#moveAside(path, BY_THEMSELVES);
    }
  }

  #lookAtLink(path: string, isOrdinary: boolean): void {
    if (leadsAway(path, this.#unlooked) && this.#known.isNew(path))
      this.#moveAside(path, "it leads to where commands write and nobody looks what they make");
    if (!this.#packages.contain(dirname(path))) this.#packages.lookAtLink(path);
    if (!isOrdinary) this.#linked.add(path);
  }

  /** What links of commands give another name is theirs; what the user's links do is looked at by itself. */
  #lookBehindLinks(): void {
    const isSetting = (path: string): boolean => this.#lists.settings.denies(path);
    for (const { link, real } of findBehind(this.#linked, this.#options.roots, isSetting)) {
      if (this.#known.isNew(link)) this.#moveAside(link, "programs start by what is there");
      else if (this.#known.isNew(real)) this.#moveAside(real, BY_THEMSELVES);
      else if (!this.#mounted.has(real)) this.#theirs.push(real);
    }
  }

  async #settle(): Promise<void> {
    for (const path of this.#walk.closed) {
      if (this.kept.beside.has(path)) continue;
      const at = identityOf(path) === "" ? dirname(path) : path;
      if (this.#known.isNew(at)) this.#moveAside(at, "nobody can look what is in it");
    }
    for (const path of this.#packages.foundByLinks(
      (one) => this.#lists.settings.denies(one) && this.#known.isNew(one),
    ))
      this.#moveAside(path, BY_THEMSELVES);
    this.#lookBehindLinks();
    const { isDone } = this;
    const git = await this.#inGit.look();
    this.#found.out.push(...git.out);
    this.#found.came.push(...git.came);
    await this.#sortReplaced();
    this.expect(git.held, git.patterns);
    const held = this.#theirs;
    this.#theirs = [];
    if (held.length > 0) await this.#options.hold?.(held);
    for (const path of held) this.#links.add(path);
    await this.#links.look();
    // Until now commands could change what is in there, though it is not theirs.
    const inTrees = git.held.filter((path) => !path.split("/").includes(".git"));
    for (const path of [...held, ...inTrees].filter((one) => !this.#holding.has(one))) {
      for (const changed of touchedIn(path, (one) => this.#isTouched(one)))
        this.#moveAside(changed, BY_THEMSELVES);
      this.#holding.add(path);
    }
    for (const path of held) this.#mounted.add(path);
    await this.#moveWaiting();
    this.kept.renewDeletions();
    this.#notes.push(...this.#untracked.look());
    for (const common of this.#inGit.held)
      this.#notes.push(...this.#unwritten.look(common, this.#mounted.paths));
    for (const [path, why] of this.kept.stuck()) this.#stuck.set(path, why);
    await this.#endPlanters();
    if (isDone && this.isDone) this.#seen = { from: this.#began, to: Date.now() };
  }
}
