import { attempt, isWithin } from "@haft/system";
import { readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isUtf8Path, nativePath } from "../../mounts/raw-path.ts";
import type { EntryKind } from "../../mounts/read-folder.ts";
import { readChangeStamp, readFileIdentity, entryExists, tryStatEntry } from "../../mounts/stats.ts";
import { HiddenChanges } from "../git-index/hidden-changes.ts";
import {
  findCommonFolder,
  followGitFile,
  isCommonFolder,
  isGitFolder,
  isKnownWorktree,
  isWorktreeFolder,
  isBareLayout,
  listSubmodules,
  listWorktrees,
} from "../git/repository.ts";
import { GIT_QUARANTINE_FOLDER, type QuarantineResult } from "../quarantine/quarantine.ts";
import {
  cleanWorktreeHooks,
  type CleaningContext,
  cleanNewRepository,
  cleanHooksAndLinks,
  cleanSettings,
  cleanWorktreeSettings,
  type IsNew,
} from "./clean-repository.ts";
import type { FolderWalk } from "./folder-walk.ts";
import { GitState } from "./git-state.ts";
import { isInAny } from "./links.ts";
import type { RepositoryProvenance } from "./repository-provenance.ts";

export interface RepositoryContext {
  roots: readonly string[];
  protectedRepositories: readonly string[];
  readOnly?: readonly string[] | undefined;
  cleaning: CleaningContext;
  provenance: RepositoryProvenance;
  walk: FolderWalk;
  isNew: IsNew;
  onProtected?: (path: string) => void;
  isTouched: (path: string) => boolean;
  /** Without it, changes of commands are removed once. */
  adopt?: Adopt | undefined;
}

/** Protects repositories that commands neither made nor moved. `clean` removes earlier changes of commands. */
export type Adopt = (
  folders: readonly string[],
  clean: (common: string) => Promise<void>,
) => Promise<{
  repositories: readonly string[];
  readOnly: readonly string[];
  patterns: readonly string[];
}>;

export interface RepositoryFindings {
  quarantined: QuarantineResult[];
  newRepositories: string[];
  readOnly: string[];
  patterns: string[];
}

const OURS = /^haft-\d+-\d*$/;
const NOT_CLEAN = "";
const TRIES = 4;
const LARGE: ReadonlySet<string> = new Set(["objects", "lfs"]);

export class NewRepositories {
  readonly #context: RepositoryContext;
  readonly #held: Set<string>;
  /** Possible repositories. Value: the outer repository of a submodule. */
  readonly #candidates = new Map<string, string | undefined>();
  /** Value: a stamp of the last cleaning. */
  readonly #made = new Map<string, string>();
  /** Value: the identity. */
  readonly #others = new Map<string, string>();
  readonly #toAdopt = new Map<string, string>();
  readonly #links: QuarantineResult[] = [];
  readonly #state: GitState;
  readonly #hiding: HiddenChanges;
  readonly #notes: string[] = [];

  constructor(context: RepositoryContext) {
    this.#context = context;
    this.#held = new Set(context.protectedRepositories);
    this.#hiding = new HiddenChanges(context.isTouched);
    this.#state = new GitState(context.cleaning, context.isTouched, context.isNew);
    for (const common of this.#held) this.#findLinks(common);
    for (const path of context.readOnly ?? []) this.#others.set(path, readFileIdentity(path));
  }

  get protectedRepositories(): readonly string[] {
    return [...this.#held];
  }

  notes(): string[] {
    return this.#notes.splice(0);
  }

  add(path: string): void {
    if (!this.#candidates.has(path)) this.#candidates.set(path, undefined);
  }

  async scan(): Promise<RepositoryFindings> {
    const found: RepositoryFindings = { quarantined: [], newRepositories: [], readOnly: [], patterns: [] };
    const { cleaning, isNew, roots } = this.#context;
    for (const common of this.#held) {
      found.quarantined.push(...(await this.scanProtected(common)));
      for (const module of listSubmodules(common)) this.#candidates.set(module, common);
    }
    for (const path of this.#candidates.keys()) {
      const stats = tryStatEntry(path);
      if (stats === undefined) this.#candidates.delete(path);
      else if (stats.isDirectory()) await this.#checkFolder(path, found);
      else this.#checkFile(path, stats.isFile(), found);
    }
    await this.#adopt(found);
    const all = [...this.#held, ...this.#made.keys()];
    for (const common of all) found.quarantined.push(...(await this.#state.takeOut(common)));
    for (const common of all) this.#notes.push(...this.#hiding.scan(common));
    found.quarantined.push(...this.#links.splice(0));
    for (const common of this.#held)
      found.quarantined.push(...cleanWorktreeHooks(common, roots, cleaning.quarantine, isNew));
    this.#context.provenance.add(found.newRepositories);
    return found;
  }

  async scanProtected(common: string): Promise<QuarantineResult[]> {
    const { cleaning, isNew } = this.#context;
    return [
      ...cleanHooksAndLinks(common, cleaning, isNew),
      ...(await cleanWorktreeSettings(common, cleaning, isNew)),
    ];
  }

  async #checkFolder(common: string, found: RepositoryFindings): Promise<void> {
    if (this.#held.has(common) || isWorktreeFolder(common)) return;
    const elsewhere = join(common, "commondir");
    if (entryExists(elsewhere) && this.#context.isNew(elsewhere))
      this.#take(elsewhere, "git would use settings and hooks of another folder", found);
    const isRepository = isGitFolder(common);
    // `git init` accepts existing files in `.git`.
    if (!isRepository && basename(common) !== ".git") return;
    const before = this.#made.get(common);
    if (before === undefined && !this.#context.isNew(common, this.#candidates.get(common))) {
      if (isRepository) this.#leaveToOthers(common);
      else await this.#cleanTouched(common, found);
      return;
    }
    if (!isUtf8Path(common))
      return this.#take(common, "its path is not UTF-8, so it cannot be protected", found);
    if (before === undefined && isRepository) {
      found.newRepositories.push(common);
      this.#findLinks(common);
    }
    if (before !== stateOf(common)) await this.#clean(common, found);
    for (const module of listSubmodules(common)) {
      if (this.#candidates.has(module)) continue;
      this.#candidates.set(module, common);
      await this.#checkFolder(module, found);
    }
  }

  #leaveToOthers(path: string): void {
    const identity = readFileIdentity(path);
    if (this.#others.get(path) === identity) return;
    this.#toAdopt.set(basename(path) === ".git" ? dirname(path) : path, path);
    this.#others.set(path, identity);
  }

  async #adopt(found: RepositoryFindings): Promise<void> {
    if (this.#toAdopt.size === 0) return;
    const { adopt, isNew } = this.#context;
    const toAdopt = new Map(this.#toAdopt);
    this.#toAdopt.clear();
    const clean = (common: string): Promise<void> => this.#cleanTouched(common, found);
    try {
      if (adopt === undefined) {
        for (const path of toAdopt.values()) if (isCommonFolder(path)) await clean(path);
        return;
      }
      const adopted = await adopt([...toAdopt.keys()], clean);
      for (const path of adopted.readOnly) this.#others.set(path, readFileIdentity(path));
      found.readOnly.push(...adopted.readOnly);
      found.patterns.push(...adopted.patterns);
      for (const common of adopted.repositories) {
        this.#held.add(common);
        this.#findLinks(common);
        for (const part of listRepositoryParts(common)) isNew(part);
        this.#context.onProtected?.(join(common, "hooks"));
      }
    } catch (thrown) {
      for (const path of toAdopt.values()) this.#others.delete(path);
      throw thrown;
    }
  }

  async #cleanTouched(common: string, found: RepositoryFindings): Promise<void> {
    const { isTouched, cleaning, roots } = this.#context;
    found.quarantined.push(...(await this.scanProtected(common)));
    const top = common.endsWith("/.git") ? dirname(common) : common;
    if (isTouched(join(common, "config")))
      found.quarantined.push(...(await cleanSettings(common, { top, roots }, cleaning)));
  }

  /** Repeats, because running commands may write again. */
  async #clean(common: string, found: RepositoryFindings): Promise<void> {
    const { roots, cleaning } = this.#context;
    const { quarantine } = cleaning;
    const top = common.endsWith("/.git") ? dirname(common) : common;
    this.#made.set(common, NOT_CLEAN);
    for (let times = 0; times < TRIES; times++) {
      // First, so that concurrent changes cause another round.
      const state = stateOf(common);
      const { tried } = quarantine;
      const out = await cleanNewRepository(common, { top, roots }, cleaning);
      found.quarantined.push(...out);
      if (quarantine.tried === tried) return void this.#made.set(common, state);
      if (out.length === 0) return;
    }
    quarantine.reportStuck(common, "a running command keeps writing there");
  }

  /** Git writes through links: the user's next commit would overwrite their targets. */
  #findLinks(common: string): void {
    const others = [...this.#held, ...this.#made.keys()];
    if (others.some((other) => other !== common && isWithin(common, other))) return;
    const { walk, isNew, cleaning } = this.#context;
    const visit = (folder: string, names: Map<string, EntryKind>): void => {
      if (folder === common) names.delete(GIT_QUARANTINE_FOLDER);
      else if (isBareLayout(names)) this.#candidates.set(folder, common);
      for (const [name, kind] of names) {
        const path = join(folder, name);
        const target = kind === "other" ? attempt(() => readlinkSync(nativePath(path))) : undefined;
        if (target === undefined || OURS.test(target) || !isNew(path)) continue;
        this.#links.push(...cleaning.quarantine.move(path, "git would write to its target"));
      }
    };
    walk.add(common, visit, LARGE);
  }

  #checkFile(path: string, isFile: boolean, found: RepositoryFindings): void {
    if (!this.#context.isNew(path)) this.#leaveToOthers(path);
    else if (!this.#isKnownFile(path, isFile))
      this.#take(path, "it leads to a repository that is not protected", found);
  }

  #isKnownFile(path: string, isFile: boolean): boolean {
    const folder = isFile ? followGitFile(path) : undefined;
    const common = folder === undefined ? undefined : findCommonFolder(folder);
    if (folder === undefined || common === undefined || !isCommonFolder(common)) return false;
    if (!this.#held.has(common)) {
      if (!isInAny(common, this.#context.roots)) return false;
      this.add(common);
    }
    return folder === common || isKnownWorktree(path, folder, common);
  }

  #take(path: string, why: string, found: RepositoryFindings): void {
    found.quarantined.push(...this.#context.cleaning.quarantine.move(path, why));
    this.#candidates.delete(path);
  }
}

export function listRepositoryParts(common: string): string[] {
  return ["", "commondir", "config.worktree", "hooks"].map((name) => join(common, name));
}

function stateOf(common: string): string {
  const names = ["config", "config.worktree", "commondir", "hooks", "worktrees"];
  const ofTrees = listWorktrees(common).flatMap((tree) => [
    join(tree, "commondir"),
    join(tree, "config.worktree"),
  ]);
  return [...names.map((name) => join(common, name)), ...ofTrees].map(readChangeStamp).join(" ");
}
