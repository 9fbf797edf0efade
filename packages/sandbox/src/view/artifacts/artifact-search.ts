import { findHostProgram } from "@haft/system";
import { createDenyList, type DenyList } from "@haft/workspace/internal/boundary";
import { SETTINGS_OF_OTHER_SYSTEMS } from "@haft/workspace/internal/git-programs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EntryKind } from "../../mounts/read-folder.ts";
import { readFileIdentity } from "../../mounts/stats.ts";
import { UntrackedSecrets } from "../git-index/untracked-secrets.ts";
import { UnwrittenFiles } from "../git-index/unwritten-files.ts";
import { isBareLayout } from "../git/repository.ts";
import { Quarantine } from "../quarantine/quarantine.ts";
import { getQuarantineFolder, getRestoredFolder } from "../quarantine/restore-quarantined.ts";
import { RestoredFiles } from "../quarantine/restored-files.ts";
import { type CommandTimes, findTouchedPaths } from "./command-times.ts";
import { FolderWalk, type ScanBounds } from "./folder-walk.ts";
import {
  findLinkedSettings,
  foldersFromPatterns,
  InstalledPackages,
  isLinkToUnscanned,
  type UnscannedFolders,
} from "./links.ts";
import { MountedPaths } from "./mounted-paths.ts";
import { type Adopt, NewRepositories, listRepositoryParts } from "./new-repositories.ts";
import type { ArtifactReport } from "./notices.ts";
import type { EndedPlanter } from "./planters/end-planter.ts";
import { isHarmlessFile, type RepositoryProvenance } from "./repository-provenance.ts";
import type { UnfinishedScan, ScanRecord } from "./scan-record.ts";
import { SettingsLinks } from "./settings-links.ts";
import type { ReadFolder } from "./walk/folder-watch.ts";
import { KnownPaths } from "./walk/known-paths.ts";

export interface ArtifactSearchOptions {
  roots: readonly string[];
  repositories: readonly string[];
  patterns: readonly string[];
  /** Protected paths, including missing files that would start programs. */
  readOnly?: readonly string[];
  folder: string;
  homeDir?: string;
  protect?: (paths: readonly string[]) => Promise<void>;
  adopt?: Adopt | undefined;
  endPlanter?: ((path: string, clear: () => void) => Promise<EndedPlanter | undefined>) | undefined;
  hidden?: readonly string[];
  caches?: readonly string[];
  /** Between change times and this clock, in milliseconds. Default 0. */
  slackMs?: number;
  resume?: UnfinishedScan;
}

/** Needs no new scan: later changes count as the command's. */
const FRESH_MS = 50;
/** A command so soon after the start of a scan continues it. */
const YOUNG_MS = 200;
const TRY_AGAIN_MS = 5000;
/** For files in a tree with a locked index. */
const LOCKED_MS = 2000;
const LOCK_STEP_MS = 20;
const BY_THEMSELVES = "it starts programs automatically";

export class ArtifactSearch {
  readonly quarantine: Quarantine;
  readonly later: Set<string>;
  readonly #times: CommandTimes;
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
  /** Mounted paths with another file. */
  readonly #replaced = new Set<string>();
  readonly #waiting = new Map<string, string>();
  readonly #links: SettingsLinks;
  /** Links that may rename folders to settings. */
  readonly #linked = new Set<string>();
  readonly #unscanned: UnscannedFolders;
  readonly #unseen: ReadonlySet<string>;
  readonly #known: KnownPaths;
  readonly #found: Pick<ArtifactReport, "quarantined" | "newRepositories" | "endedPlanters"> = {
    quarantined: [],
    newRepositories: [],
    endedPlanters: [],
  };
  readonly #tried = new Map<string, number>();
  readonly #options: ArtifactSearchOptions;
  readonly #holding: Set<string>;
  #toProtect: string[] = [];
  readonly #stuck = new Map<string, string>();

  constructor(
    options: ArtifactSearchOptions,
    workFolder: string,
    times: CommandTimes,
    came: RepositoryProvenance,
  ) {
    const { roots, repositories, folder, readOnly = [], hidden = [], homeDir = homedir(), resume } = options;
    this.#options = options;
    this.#walk = new FolderWalk(options.slackMs, (changed) => times.include(changed));
    this.#times = times;
    this.quarantine = new Quarantine(getQuarantineFolder(folder), [...roots, ...repositories]);
    this.#restored = new RestoredFiles(getRestoredFolder(folder));
    this.#patterns = new Set([...options.patterns, ...SETTINGS_OF_OTHER_SYSTEMS]);
    const context = { root: roots[0] ?? "/", home: homeDir, roots, rootNames: true };
    this.#makeLists = () => ({
      settings: createDenyList([...this.#patterns], context),
      folders: createDenyList(foldersFromPatterns([...this.#patterns]), context),
    });
    this.#lists = this.#makeLists();
    this.later = new Set(resume?.later ?? readOnly.filter((path) => readFileIdentity(path) === ""));
    const isTouched = (path: string): boolean => this.#isTouched(path);
    this.#known = new KnownPaths({
      known: resume?.known,
      isTouched,
      isUserFile: (path, identity) => this.#mounted.hasFile(identity) || this.#restored.cover(path),
    });
    this.#holding = new Set([...readOnly, ...(resume?.known ?? []).map(([path]) => path)]);
    this.#packages = new InstalledPackages(roots);
    this.#unwritten = new UnwrittenFiles(isTouched);
    this.#untracked = new UntrackedSecrets(hidden, [...roots, ...repositories], isTouched);
    if (resume === undefined) for (const path of readOnly) this.#mounted.add(path);
    this.#unseen = new Set([folder, ...hidden]);
    this.#unscanned = { roots, folders: [folder, ...repositories, ...(options.caches ?? [])] };
    this.#inGit = new NewRepositories({
      roots,
      protectedRepositories: repositories,
      readOnly,
      adopt: options.adopt,
      cleaning: { git: findHostProgram("git").program, quarantine: this.quarantine, folder: workFolder },
      provenance: came,
      walk: this.#walk,
      isNew: (path, below) => this.#known.isNew(path, below),
      isTouched,
      onProtected: (path) => this.#mounted.add(path),
    });
    this.#links = new SettingsLinks({
      roots,
      isTouched,
      protect: async (paths) => this.#options.protect?.(paths),
      moveAside: (path) => this.#moveAside(path, "a link of the user's settings leads there"),
    });
    for (const path of readOnly) this.#links.add(path);
    for (const root of roots) this.#walk.add(root, (...found) => this.#scanFolder(...found));
    for (const common of repositories)
      for (const part of listRepositoryParts(common)) this.#known.isNew(part);
  }

  #began = 0;
  #seen = { from: 0, to: 0 };

  get doneSince(): number | undefined {
    const age = Date.now() - this.#seen.to;
    return age >= 0 && age < FRESH_MS ? this.#seen.from : undefined;
  }

  get goesOnSince(): number | undefined {
    const age = Date.now() - this.#began;
    return !this.isDone && age >= 0 && age < YOUNG_MS ? this.#began : undefined;
  }

  get isDone(): boolean {
    return this.#walk.remaining(0).count === 0;
  }

  get isAtLast(): boolean {
    return this.#walk.isAtLast;
  }

  expect(held: readonly string[], patterns: readonly string[]): void {
    for (const path of held) {
      this.#links.add(path);
      if (readFileIdentity(path) === "") this.later.add(path);
    }
    const count = this.#patterns.size;
    for (const pattern of patterns) this.#patterns.add(pattern);
    if (this.#patterns.size === count) return;
    this.#seen = { from: 0, to: 0 };
    this.#lists = this.#makeLists();
    this.#walk.forget();
  }

  get read(): ReadonlyMap<string, ReadFolder> {
    return this.#walk.read;
  }

  remaining(named: number): ArtifactReport["unscanned"] {
    return this.#walk.remaining(named);
  }

  again(now = Date.now(), isQuiet = false): void {
    this.#began = now;
    if (!isQuiet) this.#walk.again();
  }

  unsearched(): string[] {
    return this.#walk.unread().filter((path) => !this.#times.cover(path));
  }

  async scan(further: ScanBounds): Promise<void> {
    const until = performance.now() + further.ms;
    await this.#walk.walk(further);
    await this.#settle();
    if (!this.isDone) await this.#walk.walk({ ...further, ms: until - performance.now(), lastMs: 0 });
    await this.#moveWaiting();
  }

  async continueScan(ms: number): Promise<void> {
    await this.#walk.walk({ entries: Infinity, ms });
    if (this.isDone) await this.#settle();
    await this.#moveWaiting();
  }

  /** Git uses new files there at once. */
  async scanProtected(common: string): Promise<void> {
    this.#found.quarantined.push(...(await this.#inGit.scanProtected(common)));
  }

  take(): Pick<ArtifactReport, "quarantined" | "newRepositories" | "endedPlanters"> {
    const { quarantined, newRepositories, endedPlanters } = this.#found;
    return {
      quarantined: quarantined.splice(0),
      newRepositories: newRepositories.splice(0),
      endedPlanters: endedPlanters.splice(0),
    };
  }

  stuck(): [path: string, why: string][] {
    const all = [...this.#stuck];
    this.#stuck.clear();
    return all;
  }

  notes(): string[] {
    return [...this.#inGit.notes(), ...this.#notes.splice(0)];
  }

  remember(record: ScanRecord): void {
    if (!this.#known.isRemembered) record.remember(this.#known.all, this.#inGit.protectedRepositories);
    this.#known.isRemembered = true;
  }

  /** A path that returns has a running writer. */
  async #endPlanters(): Promise<void> {
    const { endPlanter } = this.#options;
    for (const [path, count] of this.quarantine.takeRepeatedMoves()) {
      if (endPlanter === undefined || !this.#times.isRunning) continue;
      const now = Date.now();
      if (now - (this.#tried.get(path) ?? 0) < TRY_AGAIN_MS) continue;
      const ended = await endPlanter(path, () => this.#moveAside(path, BY_THEMSELVES, false));
      this.#tried.set(path, Date.now());
      if (ended !== undefined) this.#found.endedPlanters.push({ path, count, ...ended });
    }
    // Moves during the search are not returns.
    this.quarantine.takeRepeatedMoves();
  }

  #isTouched(path: string): boolean {
    return this.#times.cover(path) && !this.#mounted.cover(path) && !this.#restored.cover(path);
  }

  /** Mounts first: earlier changes are detected, later changes impossible. */
  async #sortReplaced(): Promise<void> {
    const replaced = [...this.#replaced];
    this.#replaced.clear();
    if (replaced.length > 0) await this.#options.protect?.(replaced);
    for (const path of replaced) {
      if (await this.#mounted.wasReplaced(path)) {
        this.#known.add(path);
        this.#toProtect.push(path);
      } else if (this.#known.isNew(path) && !isHarmlessFile(path)) this.#moveAside(path, BY_THEMSELVES);
    }
  }

  close(): void {
    this.quarantine.close();
    this.#mounted.close();
  }

  #moveAside(path: string, why: string, mayWait = true): void {
    const moved = mayWait ? this.quarantine.moveUnlessLocked(path, why) : this.quarantine.move(path, why);
    if (moved === "locked") this.#waiting.set(path, why);
    else this.#found.quarantined.push(...moved);
  }

  /** Commands can leave a lock, so the files are finally moved anyway. */
  async #moveWaiting(): Promise<void> {
    const until = performance.now() + LOCKED_MS;
    while (this.#waiting.size > 0) {
      await sleep(LOCK_STEP_MS);
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const [path, why] of waiting) this.#moveAside(path, why, performance.now() < until);
    }
  }

  #scanFolder(at: string, names: Map<string, EntryKind>, isBrought: boolean): void {
    const { settings, folders } = this.#lists;
    const add = (git: string): void => {
      if (isBrought) this.#known.addBrought(git);
      this.#inGit.add(git);
    };
    if (isBareLayout(names)) add(at);
    if (names.has(".git")) add(join(at, ".git"));
    const isOfPackages = this.#packages.contains(at);
    for (const [name, kind] of names) {
      const path = join(at, name);
      if (this.#unseen.has(path)) names.delete(name);
      const isSetting = settings.denies(path) || this.later.has(path);
      if (isBrought && (isSetting || kind === "other")) this.#known.addBrought(path);
      if (kind === "other") this.#scanLink(path, isOfPackages || !folders.denies(path));
      if (!isSetting || (isOfPackages && !this.later.has(path))) continue;
      names.delete(name);
      if (!this.#known.isNew(path)) this.#toProtect.push(path);
      else if (this.#mounted.has(path)) this.#replaced.add(path);
      else if (!isHarmlessFile(path)) this.#moveAside(path, BY_THEMSELVES);
    }
  }

  #scanLink(path: string, isOrdinary: boolean): void {
    if (isLinkToUnscanned(path, this.#unscanned) && this.#known.isNew(path))
      this.#moveAside(path, "it leads to a writable folder that is not scanned");
    if (!this.#packages.contains(dirname(path))) this.#packages.addLink(path);
    if (!isOrdinary) this.#linked.add(path);
  }

  #scanBehindLinks(): void {
    const isSetting = (path: string): boolean => this.#lists.settings.denies(path);
    for (const { link, real } of findLinkedSettings(this.#linked, this.#options.roots, isSetting)) {
      if (this.#known.isNew(link)) this.#moveAside(link, "it leads to files that start programs");
      else if (this.#known.isNew(real)) this.#moveAside(real, BY_THEMSELVES);
      else if (!this.#mounted.has(real)) this.#toProtect.push(real);
    }
  }

  async #settle(): Promise<void> {
    for (const path of this.#walk.closed) {
      if (this.quarantine.siblings.has(path)) continue;
      const at = readFileIdentity(path) === "" ? dirname(path) : path;
      if (this.#known.isNew(at)) this.#moveAside(at, "its content cannot be read");
    }
    for (const path of this.#packages.findByLinks(
      (one) => this.#lists.settings.denies(one) && this.#known.isNew(one),
    ))
      this.#moveAside(path, BY_THEMSELVES);
    this.#scanBehindLinks();
    const { isDone } = this;
    const git = await this.#inGit.scan();
    this.#found.quarantined.push(...git.quarantined);
    this.#found.newRepositories.push(...git.newRepositories);
    await this.#sortReplaced();
    this.expect(git.readOnly, git.patterns);
    const held = this.#toProtect;
    this.#toProtect = [];
    if (held.length > 0) await this.#options.protect?.(held);
    for (const path of held) this.#links.add(path);
    await this.#links.scan();
    const inTrees = git.readOnly.filter((path) => !path.split("/").includes(".git"));
    for (const path of [...held, ...inTrees].filter((one) => !this.#holding.has(one))) {
      for (const changed of findTouchedPaths(path, (one) => this.#isTouched(one)))
        this.#moveAside(changed, BY_THEMSELVES);
      this.#holding.add(path);
    }
    for (const path of held) this.#mounted.add(path);
    await this.#moveWaiting();
    this.quarantine.renewDeletions();
    this.#notes.push(...this.#untracked.scan());
    for (const common of this.#inGit.protectedRepositories)
      this.#notes.push(...this.#unwritten.scan(common, this.#mounted.paths));
    for (const [path, why] of this.quarantine.stuck()) this.#stuck.set(path, why);
    await this.#endPlanters();
    if (isDone && this.isDone) this.#seen = { from: this.#began, to: Date.now() };
  }
}
