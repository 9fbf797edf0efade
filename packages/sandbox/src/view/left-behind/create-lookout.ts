import { createDenyList } from "@haft/workspace";
import { attempt, findHostProgram, makePrivateFolder } from "@haft/workspace/internal/system";
import { lstatSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { watchEach } from "../git/watch-each.ts";
import type { Came } from "./came-here.ts";
import { CameHere } from "./came-here.ts";
import type { TakenOut } from "./clean-repository.ts";
import type { EntryKind, LookBounds } from "./folder-walk.ts";
import { FolderWalk } from "./folder-walk.ts";
import { KeptAside } from "./kept-aside.ts";
import { NewRepositories } from "./new-repositories.ts";
import { TimesOfCommands } from "./times-of-commands.ts";

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
  /** 20,000 entries and 250 milliseconds by default. */
  bounds?: Partial<LookBounds>;
  homeDir?: string;
  /** Holds in the view what others than commands made meanwhile. */
  hold?: (paths: readonly string[]) => Promise<void>;
}

/** What was found after a command. */
export interface LeftBehind {
  /** What was moved aside. */
  out: TakenOut[];
  /** Repositories that came. */
  came: string[];
  /** Folders that the bounds left unlooked at. */
  unlooked: number;
  /** All of it as sentences. */
  notices: string[];
}

/** Looks for what nobody could hold, since it was not there when the view was opened. */
export interface Lookout {
  /** A command starts. Costs nothing. */
  before(): void;
  /**
   * After the answer to a command, and before the next one starts: what it left that others would run is moved aside.
   *
   * @param goesOn something that it started still runs, so what changes from now on may be its work, too
   */
  after(goesOn?: boolean): Promise<LeftBehind>;
  /** The repository that git finds from a folder, if a contained command made or brought it. */
  cameFrom(folder: string): Came | undefined;
  /** A person says that such a repository is to be as any other. */
  forget(repository: string): void;
  close(): void;
}

/** A first look at what is there goes further: nothing waits for it but the first command's end. */
const FIRST = 4;

/** Starts a first look at what is there; what follows is compared with that. */
export function createLookout(options: LookoutOptions): Lookout {
  const { roots, repositories, patterns, folder, homeDir = homedir() } = options;
  const bounds = { entries: 20_000, ms: 250, ...options.bounds };
  const looking = join(folder, "looking", crypto.randomUUID());
  makePrivateFolder(looking);
  const list = createDenyList(patterns, { root: roots[0] ?? "/", home: homeDir, roots, rootNames: true });
  const later = new Set(options.held?.filter((path) => identityOf(path) === ""));
  const times = new TimesOfCommands();
  const came = new CameHere(join(folder, "came"));
  const kept = new KeptAside(join(folder, "held-back"));
  /** What was there before any command, or came in between. */
  const known = new Map<string, string>();
  const isNew = (path: string): boolean => {
    if (known.get(path) === identityOf(path)) return false;
    if (times.cover(path)) return true;
    known.set(path, identityOf(path));
    return false;
  };
  const cleaning = { git: findHostProgram("git").program, kept, folder: looking };
  const inGit = new NewRepositories({ roots, held: repositories, cleaning, came, isNew });
  /** Found and not yet told. */
  const found: Omit<LeftBehind, "notices" | "unlooked"> = { out: [], came: [] };
  /** Of others, and to be held. */
  let theirs: string[] = [];
  const lookAt = (at: string, names: Map<string, EntryKind>): void => {
    const isBare = names.has("HEAD") && names.has("objects") && names.has("refs");
    if (isBare) inGit.add(at);
    if (names.has(".git")) inGit.add(join(at, ".git"));
    for (const name of names.keys()) {
      const path = join(at, name);
      if (!list.denies(path) && !later.has(path)) continue;
      names.delete(name);
      const isOfOthers = !isNew(path);
      if (isOfOthers) theirs.push(path);
      const moved = isOfOthers ? undefined : kept.move(path);
      if (moved !== undefined) found.out.push({ ...moved, why: "programs start by it by themselves" });
    }
    if (isBare) names.clear();
  };
  const walk = new FolderWalk(roots);
  for (const common of repositories) rememberParts(common, isNew);
  const lookOnce = async (further = 1): Promise<number> => {
    const { entries, ms } = bounds;
    const unlooked = await walk.walk({ entries: entries * further, ms: ms * further }, lookAt);
    const git = await inGit.look();
    found.out.push(...git.out);
    found.came.push(...git.came);
    const held = theirs;
    theirs = [];
    if (held.length > 0) await options.hold?.(held);
    return unlooked;
  };
  let last: Promise<unknown> = lookOnce(FIRST);
  last.catch(() => {});
  // Git would take these at once.
  const watchers = watchEach(repositories, (name, common) => {
    if (name !== "commondir" && name !== "hooks") return;
    inGit.lookAtHeld(common).then(
      (out) => found.out.push(...out),
      () => {},
    );
  });
  const look = async (goesOn: boolean): Promise<LeftBehind> => {
    const unlooked = await lookOnce();
    times.end(goesOn);
    const told = { out: found.out.splice(0), came: found.came.splice(0), unlooked };
    return { ...told, notices: noticesOf(told) };
  };
  return {
    before: () => times.start(),
    after(goesOn = false) {
      const done = last.then(
        () => look(goesOn),
        () => look(goesOn),
      );
      last = done.catch(() => {});
      return done;
    },
    cameFrom: (path) => came.find(path),
    forget: (path) => came.forget(path),
    close() {
      for (const watcher of watchers) watcher.close();
      void last.finally(() => rmSync(looking, { recursive: true, force: true })).catch(() => {});
    },
  };
}

/** What is there of a repository's own can be held, so nobody but the user changes it. */
function rememberParts(common: string, isNew: (path: string) => boolean): void {
  for (const name of ["commondir", "config.worktree", "hooks"]) isNew(join(common, name));
}

function identityOf(path: string): string {
  const stats = attempt(() => lstatSync(path, { bigint: true }));
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

function noticesOf({ out, came, unlooked }: Omit<LeftBehind, "notices">): string[] {
  const moved = out.map(
    ({ path, kept, why }) =>
      `Held back: ${path}, since ${why}. It is kept as ${kept}; a person can take it back with mv.`,
  );
  const made = came.map(
    (path) =>
      `The repository ${basename(path) === ".git" ? path.slice(0, -5) : path} came by a contained command: git is not started in it outside of the view.`,
  );
  const rest =
    unlooked === 0
      ? []
      : [`${unlooked} folders or more were not searched for what commands left that others run.`];
  return [...moved, ...made, ...rest];
}
