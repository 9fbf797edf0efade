import type { HostProgram, Owner } from "@haft/workspace/internal/system";
import {
  attempt,
  fateOf,
  findHostProgram,
  makePrivateFolder,
  thisOwner,
} from "@haft/workspace/internal/system";
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { InTurn } from "../../launch/in-turn.ts";
import type { SearchBounds } from "./find-repositories.ts";
import type { GitPlaces } from "./git-places.ts";
import { gitPlaces, settingsOf } from "./git-places.ts";
import type { EnteredView, OpenedView, ViewLink } from "./link-settings.ts";
import { closeNamespaces, keepLinked, openNamespaces } from "./link-settings.ts";
import type { AroundSettings } from "./real-settings.ts";
import { foldersIn } from "./repository.ts";
import { SettingsCopy, takeBackLeft } from "./settings-copy.ts";
import { stopBelow } from "./stop-below.ts";
import { watchEach } from "./watch-each.ts";
import { NO_FILE, stateOf } from "./write/file-state.ts";
import { outlastLocks } from "./write/outlast-locks.ts";
import { removeUnfinished } from "./write/replace-file.ts";
import { removeAbandoned } from "./write/write-in-place.ts";

/** What git in a view is opened with. */
export interface GitBrokerOptions {
  /** Folders where commands write, by their real paths. */
  roots: readonly string[];
  /** A private folder of Haft's, on the host, that commands do not see. */
  folder: string;
  /** Another one, for settings that came while commands ran and were put back. */
  kept: string;
  bounds?: SearchBounds;
}

/** Git that works in a view, and leaves on the host nothing that starts programs. */
export interface GitBroker {
  /** What the view is to be opened with. */
  readonly places: Pick<GitPlaces, "writable" | "pinned" | "held" | "patterns"> & {
    extra: { from: string; to: string; access: "ro" | "rw" }[];
  };
  /** Sentences about what was found at the opening. */
  readonly notices: readonly string[];
  /** Folders of git's whose settings are a copy. */
  readonly repositories: readonly string[];
  /**
   * Puts the copies into a view that was just opened, before any command runs there.
   *
   * @throws HaftError `SANDBOX_START_FAILED`; nothing is to run in that view then.
   */
  enter(view: EnteredView): Promise<void>;
  /**
   * Before a command: what came off because the host replaced settings is put back, and the user's changes get into the copies.
   * Looks at some files of each repository when nothing changed.
   *
   * @returns what a person has to know, as sentences
   * @throws HaftError `CONTAINMENT_BROKEN`, `SANDBOX_START_FAILED`
   */
  before(): Promise<string[]>;
  /**
   * After a command: its changes get into the real settings, if they are harmless.
   *
   * @param goesOn something still runs, or may
   * @returns what a person has to know, as sentences
   */
  after(goesOn: boolean): Promise<string[]>;
  /** Takes back what is left, and removes the copies. */
  close(): Promise<string[]>;
}

/** Where the view has the copies, and the links to them. */
const COPIES = "/run/haft/git";
const LINKS = "/run/haft/git-links";
/** Days after which a folder whose owner cannot be asked belongs to nobody. */
const ABANDONED_MS = 30 * 24 * 60 * 60_000;

/**
 * Finds the repositories in some folders, and makes copies of their settings. What another program left behind because it was
 * killed is taken back and removed.
 *
 * @throws HaftError `STATE_FOLDER_FAILED` or what the system says of the folder
 */
export async function openGitBroker({ roots, folder, kept, bounds }: GitBrokerOptions): Promise<GitBroker> {
  makePrivateFolder(folder);
  const git = findHostProgram("git").program;
  if (git !== undefined) await cleanUp(folder, git);
  const found = await gitPlaces(roots, git, bounds);
  // Whose it is cannot be written a moment later: what was killed in between would stay.
  const owner = Buffer.from(JSON.stringify(thisOwner())).toString("base64url");
  const own = join(folder, `${owner}.${randomBytes(8).toString("hex")}`);
  const links = join(own, "links");
  makePrivateFolder(links);
  const views = new Set<OpenedView>();
  const told: string[] = [];
  let running = false;
  const copies: SettingsCopy[] = [];
  const linked: ViewLink[] = [];
  const mendLinks = async (): Promise<void> => {
    for (const view of views) {
      // A view that has ended needs nothing.
      if ((await keepLinked(view, linked)) !== "gone") continue;
      views.delete(view);
      closeNamespaces(view);
    }
  };
  const stop = () => [...views].map(({ pid }) => stopBelow(pid));
  const around: AroundSettings = {
    kept,
    isRunning: () => running,
    async alone(work) {
      const stopped = stop();
      try {
        await Promise.all(stopped.map((one) => one.all()));
        await work();
        await mendLinks();
      } finally {
        stopped.forEach((one) => one.goOn());
      }
    },
    told: (notice) => told.push(notice),
  };
  const repositories = git === undefined ? [] : found.repositories;
  repositories.forEach((one, at) => {
    const file = settingsOf(one);
    removeAbandoned(`${file}.lock`);
    removeUnfinished(file);
    symlinkSync(`${COPIES}/${at}/config`, join(links, String(at)));
    linked.push({ path: file, link: `${LINKS}/${at}` });
    const source = { file, top: one.top ?? one.common, roots };
    copies.push(new SettingsCopy(source, join(own, String(at)), around, git!));
  });
  await Promise.all(copies.map((copy) => copy.make()));
  const shared = copies.map(({ shared: from }, at) => ({
    from,
    to: `${COPIES}/${at}`,
    access: "rw" as const,
  }));
  const extra = copies.length === 0 ? [] : [...shared, { from: links, to: LINKS, access: "ro" as const }];
  const turns = new InTurn();
  const each = async (work: (copy: SettingsCopy) => Promise<string[]>) => {
    for (const copy of copies) told.push(...(await work(copy)));
    return told.splice(0);
  };
  const states = (): string => copies.map(({ real }) => real.state).join();
  /** What the files were when all links were on them: a link comes off only where another file is put in the place of one. */
  let linkedAt: string | undefined;
  /** The links first: the sooner they are back, the less can come. They can be put up only where there is a file. */
  const hold = async (): Promise<void> => {
    const onDisk = copies.map(({ source }) => stateOf(source.file));
    const before = states();
    if (linkedAt === before && onDisk.join() === before) return;
    linkedAt = undefined;
    const areUp = await mendLinks().then(
      () => true,
      () => false,
    );
    for (const { real } of copies) await real.look();
    // Looking took a moment, then, in which they may have come off again; and it may have put other files there.
    if (!areUp || states() !== before) await mendLinks();
    else if (onDisk.join() === before && !onDisk.includes(NO_FILE)) linkedAt = before;
  };
  const strike = (): boolean => copies.map(({ real }) => real.strike()).includes(true);
  let isWaiting = false;
  // At once, since what runs there could open the real file. Where it fails, so does the next command.
  const watchers = watchEach(
    repositories.map(({ common }) => common),
    (name) => {
      if (name !== "config") return;
      const stopped = attempt(strike) === true ? stop() : [];
      // What was written until then.
      if (stopped.length > 0) attempt(strike);
      if (isWaiting && stopped.length === 0) return;
      isWaiting = true;
      turns
        .next(() => {
          isWaiting = false;
          return hold();
        })
        .catch(() => {})
        .finally(() => stopped.forEach((one) => one.goOn()));
    },
  );
  const locks = repositories.map((one) => `${settingsOf(one)}.lock`);
  const endOfLocks = locks.length === 0 ? undefined : outlastLocks(locks);
  return {
    places: {
      writable: found.writable,
      pinned: found.pinned,
      held: found.held,
      patterns: found.patterns,
      extra,
    },
    notices: found.notices,
    repositories: repositories.map(({ common }) => common),
    enter: (view) =>
      turns.next(async () => {
        if (linked.length === 0) return;
        const opened = openNamespaces(view);
        views.add(opened);
        linkedAt = undefined;
        await keepLinked(opened, linked);
      }),
    before: () =>
      turns.next(async () => {
        await hold();
        const notices = await each((copy) => copy.refresh());
        running = true;
        return notices;
      }),
    after: (goesOn) =>
      turns.next(async () => {
        await hold();
        running = goesOn;
        return each((copy) => copy.takeBack());
      }),
    close: () =>
      turns.next(async () => {
        for (const watcher of watchers) watcher.close();
        for (const view of views) closeNamespaces(view);
        views.clear();
        try {
          for (const { real } of copies) await real.look();
          return await each((copy) => copy.takeBack());
        } finally {
          endOfLocks?.();
          rmSync(own, { recursive: true, force: true });
        }
      }),
  };
}

/** Of programs that were killed: their copies may hold what was to come back. */
async function cleanUp(folder: string, git: HostProgram): Promise<void> {
  for (const left of foldersIn(folder)) {
    const owner = attempt(() => JSON.parse(ownerIn(basename(left))) as Owner);
    const age = Date.now() - (attempt(() => statSync(left).mtimeMs) ?? Date.now());
    const fate = owner === undefined ? "unknown" : fateOf(owner);
    if (fate === "alive" || (fate === "unknown" && age < ABANDONED_MS)) continue;
    const names = attempt(() => readdirSync(left)) ?? [];
    for (const name of names.filter((one) => /^\d+$/.test(one)))
      await takeBackLeft(join(left, name), git).catch(() => {});
    rmSync(left, { recursive: true, force: true });
  }
}

function ownerIn(name: string): string {
  return Buffer.from(name.split(".")[0]!, "base64url").toString();
}
