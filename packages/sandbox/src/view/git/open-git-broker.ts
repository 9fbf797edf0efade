import { attempt, findHostProgram, type HostProgram, isWithin, makePrivateFolder } from "@haft/system";
import { escapeGlob } from "@haft/workspace/internal/boundary";
import { findGitPrograms } from "@haft/workspace/internal/git-programs";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Mutex } from "../../launch/mutex.ts";
import { listAbandonedFolders, ownedFolderPath } from "../files/owned-folders.ts";
import { readRepositories, type SearchBounds } from "./find-repositories.ts";
import { type GitMounts, findGitMounts, gitMountsFromRepositories, getSettingsPath } from "./git-mounts.ts";
import {
  closeNamespaces,
  type EnteredView,
  ensureLinks,
  type OpenedView,
  openNamespaces,
  type ViewLink,
} from "./link-settings.ts";
import type { RealSettingsContext } from "./real-settings.ts";
import type { Repository } from "./repository.ts";
import { KnownAddresses } from "./routes/known-addresses.ts";
import { getCopyPath, SettingsCopy, recoverSettings } from "./settings-copy.ts";
import { stopDescendants } from "./stop-descendants.ts";
import { watchFolders } from "./watch-folders.ts";
import { removeAbandonedLock } from "./write/overwrite-settings.ts";
import { NO_FILE, removeTemporaryFiles, readFileState } from "./write/replace-file.ts";
import { startLockCleaner } from "./write/start-lock-cleaner.ts";

export interface GitBrokerOptions {
  roots: readonly string[];
  folder: string;
  backupFolder: string;
  bounds?: SearchBounds;
}

export interface GitBroker {
  readonly mounts: Pick<GitMounts, "writable" | "pinned" | "readOnly" | "patterns" | "unsearched"> & {
    extra: { from: string; to: string; access: "ro" | "rw" }[];
  };
  readonly notices: readonly string[];
  readonly repositories: readonly string[];
  /** Protects repositories that the user added. Pauses the view. @throws HaftError `CONTAINMENT_BROKEN`, `SANDBOX_START_FAILED` */
  adopt(folders: readonly string[], adoption: Adoption): Promise<Adopted>;
  /** Returns paths to protect if settings changed since the last call. */
  takeChangedMounts(): Promise<Pick<GitMounts, "readOnly" | "pinned" | "patterns"> | undefined>;
  /** Mounts the copies in a new view. @throws HaftError `SANDBOX_START_FAILED`; no command may then run in that view */
  enter(view: EnteredView): Promise<void>;
  /** Remounts replaced settings, updates the copies, returns sentences. @throws HaftError `CONTAINMENT_BROKEN`, `SANDBOX_START_FAILED` */
  before(): Promise<string[]>;
  /** Writes harmless changes to the real settings. Returns sentences. `goesOn`: a process may still run. */
  after(goesOn: boolean): Promise<string[]>;
  close(): Promise<string[]>;
}

export interface Adoption {
  protect: (held: readonly string[], pinned: readonly string[]) => Promise<void>;
  clean: (common: string) => Promise<void>;
}

export interface Adopted {
  repositories: string[];
  readOnly: string[];
  patterns: string[];
  notices: string[];
}

/** Mounts for later repositories are made at the opening. */
const SPARE = 16;
const COPIES = "/run/haft/git";
const LINKS = "/run/haft/git-links";

/** Also takes back changes from copies of killed processes. @throws HaftError `STATE_FOLDER_FAILED`, or an error of the file system */
export async function openGitBroker({
  roots,
  folder,
  backupFolder,
  bounds,
}: GitBrokerOptions): Promise<GitBroker> {
  makePrivateFolder(folder);
  const git = findHostProgram("git").program;
  if (git !== undefined) await cleanUp(folder, git);
  const found = await findGitMounts(roots, git, bounds);
  // The name states the owner, also after a kill.
  const privateFolder = ownedFolderPath(folder);
  const links = join(privateFolder, "links");
  makePrivateFolder(links);
  const views = new Set<OpenedView>();
  const isKnown = (common: string): boolean => repositories.some((one) => one.common === common);
  const unreported: string[] = [];
  let running = false;
  const copies: SettingsCopy[] = [];
  const linked: ViewLink[] = [];
  const mendLinks = async (): Promise<void> => {
    for (const view of views) {
      if ((await ensureLinks(view, linked)) !== "gone") continue;
      views.delete(view);
      closeNamespaces(view);
    }
  };
  const stop = () => [...views].map(({ pid }) => stopDescendants(pid));
  const around: RealSettingsContext = {
    backupFolder,
    addresses: new KnownAddresses(join(folder, "addresses.json")),
    isRunning: () => running,
    async runExclusive(work) {
      const stopped = stop();
      try {
        await Promise.all(stopped.map((one) => one.stopNew()));
        await work();
        await mendLinks();
      } finally {
        stopped.forEach((one) => one.resume());
      }
    },
    notify: (notice) => unreported.push(notice),
  };
  const repositories: Repository[] = [];
  const serve = async (one: Repository): Promise<void> => {
    const at = repositories.push(one) - 1;
    const file = getSettingsPath(one);
    removeAbandonedLock(`${file}.lock`);
    removeTemporaryFiles(file);
    const source = { file, top: one.top ?? one.common, roots };
    const copy = new SettingsCopy(source, join(privateFolder, String(at)), around, git!);
    await copy.make();
    copies[at] = copy;
    symlinkSync(`${COPIES}/${at}/config`, join(links, String(at)));
    linked.push({ path: file, link: `${LINKS}/${at}` });
  };
  await Promise.all((git === undefined ? [] : found.repositories).map(serve));
  const copyCount = git === undefined ? 0 : repositories.length + SPARE;
  const shared = Array.from({ length: copyCount }, (_, at) => {
    const from = getCopyPath(join(privateFolder, String(at)));
    makePrivateFolder(from);
    return { from, to: `${COPIES}/${at}`, access: "rw" as const };
  });
  const extra = copyCount === 0 ? [] : [...shared, { from: links, to: LINKS, access: "ro" as const }];
  const turns = new Mutex();
  const each = async (work: (copy: SettingsCopy) => Promise<string[]>) => {
    for (const copy of copies) unreported.push(...(await work(copy)));
    return unreported.splice(0);
  };
  const states = (): string => copies.map(({ real }) => real.state).join();
  /** State of the files when all links were mounted. A link comes off only if its file is replaced. */
  let linkedAt: string | undefined;
  /** Links first, to shorten the gap. A link needs a file. */
  const hold = async (): Promise<void> => {
    const onDisk = copies.map(({ source }) => readFileState(source.file));
    const before = states();
    if (linkedAt === before && onDisk.join() === before) return;
    linkedAt = undefined;
    const areUp = await mendLinks().then(
      () => true,
      () => false,
    );
    for (const { real } of copies) await real.check();
    // Links may have come off during the check.
    if (!areUp || states() !== before) await mendLinks();
    else if (onDisk.join() === before && !onDisk.includes(NO_FILE)) linkedAt = before;
  };
  const strike = (): boolean => copies.map(({ real }) => real.revert()).includes(true);
  let isWaiting = false;
  // At once, because running commands could open the real file. The next command repeats a failure.
  const watch = (some: readonly Repository[]) =>
    watchFolders(
      some.map(({ common }) => common),
      (name) => {
        if (name !== "config") return;
        const stopped = attempt(strike) === true ? stop() : [];
        if (stopped.length > 0) attempt(strike);
        if (isWaiting && stopped.length === 0) return;
        isWaiting = true;
        turns
          .runExclusive(() => {
            isWaiting = false;
            return hold();
          })
          .catch(() => {})
          .finally(() => stopped.forEach((one) => one.resume()));
      },
    );
  const statesOnDisk = (): string => copies.map(({ source }) => readFileState(source.file)).join();
  let ofUser = hooksOfUser();
  let settingsSeen = statesOnDisk();
  const watchers = watch(repositories);
  const outlast = (some: readonly Repository[]) =>
    some.length === 0 ? [] : [startLockCleaner(some.map((one) => `${getSettingsPath(one)}.lock`))];
  const endsOfLocks = outlast(repositories);
  const takeIn = async (
    folders: readonly string[],
    { protect: holdInView, clean }: Adoption,
  ): Promise<Adopted> => {
    const { readOnly, pinned, patterns, notices, ...all } = await gitMountsFromRepositories(
      readRepositories(roots, folders),
      roots,
      git,
    );
    const isInside = ({ common }: Repository): boolean => roots.some((root) => isWithin(common, root));
    const fresh = all.repositories.filter((one) => !isKnown(one.common) && isInside(one));
    const served = fresh.slice(0, copyCount - repositories.length);
    const others = fresh.slice(served.length);
    await holdInView([...readOnly, ...others.map(({ common }) => common)], pinned);
    for (const { common } of fresh) await clean(common);
    for (const one of served) await serve(one);
    await mendLinks();
    linkedAt = undefined;
    watchers.push(...watch(served));
    endsOfLocks.push(...outlast(served));
    const full = others.map(
      ({ common }) =>
        `Commands cannot change ${common}: this session has no room for more repositories, but the next session does.`,
    );
    return {
      repositories: fresh.map(({ common }) => common),
      readOnly,
      patterns,
      notices: [...notices, ...full],
    };
  };
  return {
    mounts: {
      writable: found.writable,
      pinned: found.pinned,
      readOnly: found.readOnly,
      patterns: [...found.patterns, ...ofUser.patterns],
      unsearched: found.unsearched,
      extra,
    },
    notices: found.notices,
    get repositories() {
      return repositories.map(({ common }) => common);
    },
    adopt: (folders, adoption) =>
      turns.runExclusive(async () => {
        const stopped = stop();
        try {
          await Promise.all(stopped.map((one) => one.stopNew()));
          return await takeIn(folders, adoption);
        } finally {
          stopped.forEach((one) => one.resume());
        }
      }),
    takeChangedMounts: () =>
      turns.runExclusive(async () => {
        const settings = statesOnDisk();
        if (settings === settingsSeen && !ofUser.haveChanged()) return undefined;
        settingsSeen = settings;
        ofUser = hooksOfUser();
        const { readOnly, pinned, patterns } = await gitMountsFromRepositories(
          { repositories, closed: [] },
          roots,
          git,
        );
        return { readOnly, pinned, patterns: [...patterns, ...ofUser.patterns] };
      }),
    enter: (view) =>
      turns.runExclusive(async () => {
        const opened = openNamespaces(view);
        views.add(opened);
        linkedAt = undefined;
        await ensureLinks(opened, linked);
      }),
    before: () =>
      turns.runExclusive(async () => {
        await hold();
        const refreshed = await each((copy) => copy.refresh());
        running = true;
        return refreshed;
      }),
    after: (goesOn) =>
      turns.runExclusive(async () => {
        await hold();
        running = goesOn;
        return each((copy) => copy.takeBack());
      }),
    close: () =>
      turns.runExclusive(async () => {
        for (const watcher of watchers) watcher.close();
        for (const view of views) closeNamespaces(view);
        views.clear();
        try {
          for (const { real } of copies) await real.check();
          return await each((copy) => copy.takeBack());
        } finally {
          for (const end of endsOfLocks) end();
          rmSync(privateFolder, { recursive: true, force: true });
        }
      }),
  };
}

/** They may contain changes to take back. */
async function cleanUp(folder: string, git: HostProgram): Promise<void> {
  for (const left of listAbandonedFolders(folder)) {
    const names = attempt(() => readdirSync(left)) ?? [];
    for (const name of names.filter((one) => /^\d+$/.test(one)))
      await recoverSettings(join(left, name), git).catch(() => {});
    rmSync(left, { recursive: true, force: true });
  }
}

/** Cannot exist; deep enough for relative paths upward. */
const NOWHERE = "/proc/self/haft/1/2/3/4/5/6/7/8";

/** Relative paths of the user's or system's settings, which git searches in each working tree. */
interface HooksOfUser {
  patterns: readonly string[];
  haveChanged(): boolean;
}

function hooksOfUser(): HooksOfUser {
  const common = join(NOWHERE, ".git");
  const { paths, stamps } = findGitPrograms(
    { common, tops: [NOWHERE] },
    { home: homedir(), env: process.env, roots: [] },
  );
  const patterns = paths
    .filter(
      (path) => isWithin(path, "/proc/self/haft") && !isWithin(path, common) && !isWithin(NOWHERE, path),
    )
    .map((path) => `**/${escapeGlob(relative(sharedFolder(path), path))}`);
  return { patterns: [...new Set(patterns)], haveChanged: () => stamps.haveChanged() };
}

function sharedFolder(path: string): string {
  let folder = NOWHERE;
  while (!isWithin(path, folder)) folder = dirname(folder);
  return folder;
}
