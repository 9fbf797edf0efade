import { getErrorMessage } from "@haft/core";
import { attempt, makePrivateFolder, readRegularFile } from "@haft/system";
import { randomBytes } from "node:crypto";
import { appendFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nativePath } from "../../mounts/raw-path.ts";
import { entryExists, statEntry } from "../../mounts/stats.ts";
import { withOpenFolder } from "../files/with-open-folder.ts";
import {
  type HiddenDeletion,
  HiddenDeletions,
  findIndexLock,
  showToGit,
} from "../git-index/hide-deletions.ts";
import { findWorkingTree } from "../git-index/working-tree.ts";
import { realRepositoryPath } from "../git/repository.ts";

/** A quarantined file or folder. Plain data: it is a line of the list. */
export interface QuarantinedFile {
  /** Absolute path that it had. */
  path: string;
  /** Absolute path in quarantine. */
  kept: string;
  /** Git tracks it, and does not report it as deleted, unless {@link isUnmarked}. */
  git?: HiddenDeletion;
  /** Another git held the lock of the index when it was moved, so git can report it as deleted until the lock is gone. */
  isUnmarked?: true;
}

/** What was taken out, and why. */
export interface QuarantineResult extends QuarantinedFile {
  why: string;
  /** What was to take its place, as the end of a sentence. */
  rest?: string;
}

/** In the folder of a repository: quarantined files of working trees that lie on another file system than Haft's state. */
export const GIT_QUARANTINE_FOLDER = "haft-held-back";
const BESIDE = /\.held-back-[0-9a-f]{8}$/;
const MOST_NAME = 100;
const LOCK_STEP_MS = 20;
/** Bytes of a list that are read: many thousand files. */
const LARGEST_LIST = 64 * 1024 * 1024;
const SOON_MS = 60_000;
const MOST_MOVES = 10_000;

/** What a folder of quarantined files still holds, the oldest first. */
export function listQuarantinedFiles(folder: string): QuarantinedFile[] {
  const text = attempt(() => readRegularFile(join(folder, "list.jsonl"), { maxBytes: LARGEST_LIST }));
  return (text?.toString() ?? "").split("\n").flatMap((line) => {
    const one = attempt(() => JSON.parse(line) as QuarantinedFile);
    return one !== undefined && entryExists(one.kept) ? [one] : [];
  });
}

/** Moves things to a private folder: nothing is read, followed or removed, so that whoever still writes there gains nothing. */
export class Quarantine {
  /** Where it stands what was moved where: a line of JSON each. */
  readonly list: string;
  readonly #folder: string;
  readonly #places: readonly string[];
  readonly #deletions: HiddenDeletions;
  /** Kept beside where it was: there is no other place on that file system. */
  readonly siblings = new Set<string>();
  readonly #moves = new Map<string, { count: number; at: number }>();
  readonly #again = new Map<string, number>();
  readonly #stuck = new Map<string, string>();
  readonly #waitedFor = new Set<string>();
  #renewal: NodeJS.Timeout | undefined;
  #closed = false;
  #count = 0;
  tried = 0;

  /** @param places folders in which git's indexes are changed, so that it does not report what is moved as deleted */
  constructor(folder: string, places: readonly string[] = []) {
    this.#folder = folder;
    this.#places = places;
    this.list = join(folder, "list.jsonl");
    this.#deletions = new HiddenDeletions(places);
    for (const { git, kept } of listQuarantinedFiles(folder))
      if (git !== undefined) this.#deletions.register(git, kept);
  }

  /** Nothing when it is not there any more, or the folder it was in is another one. */
  move(path: string, why: string): QuarantineResult[] {
    const moved = this.#hideAndMove(path, why, false);
    return moved === "locked" || moved === undefined ? [] : [moved];
  }

  /** In a tree with a locked index it stays: the git with the lock would take the missing file for a deletion. */
  moveUnlessLocked(path: string, why: string): QuarantineResult[] | "locked" {
    const moved = this.#hideAndMove(path, why, true);
    return moved === "locked" ? moved : moved === undefined ? [] : [moved];
  }

  #hideAndMove(path: string, why: string, mayWait: boolean): QuarantineResult | "locked" | undefined {
    this.tried++;
    // Before the move: a git that runs at this moment sees no missing file.
    const { git, isLocked = false } = attempt(() => this.#deletions.hide(path)) ?? {};
    const lock = git !== undefined && isLocked ? findIndexLock(git) : undefined;
    if (mayWait && isLocked && (lock === undefined || !this.#waitedFor.has(lock))) return "locked";
    if (lock !== undefined) this.#waitedFor.add(lock);
    try {
      const kept = this.#move(path);
      if (kept === undefined) return void (git && !isLocked && showToGit(git));
      this.#note(path);
      const record: QuarantinedFile = {
        path,
        kept,
        ...(git && { git }),
        ...(isLocked && { isUnmarked: true }),
      };
      if (git !== undefined) this.#deletions.register(git, kept);
      if (isLocked) this.#renewSoon();
      appendFileSync(this.list, `${JSON.stringify(record)}\n`, { mode: 0o600 });
      return { ...record, why };
    } catch (thrown) {
      if (git !== undefined) attempt(() => showToGit(git));
      this.reportStuck(path, getErrorMessage(thrown));
      return undefined;
    }
  }

  #note(path: string): void {
    const now = Date.now();
    const before = this.#moves.get(path);
    const count = before !== undefined && now - before.at < SOON_MS ? before.count + 1 : 1;
    this.#moves.delete(path);
    this.#moves.set(path, { count, at: now });
    const [oldest] = this.#moves.keys();
    if (this.#moves.size > MOST_MOVES) this.#moves.delete(oldest!);
    if (count > 1) this.#again.set(path, count);
  }

  /** What came back within a minute and was moved again, with how often it was moved, since this was last asked. */
  takeRepeatedMoves(): [path: string, count: number][] {
    const all = [...this.#again];
    this.#again.clear();
    return all;
  }

  /** Git may have written its indexes again since: what is quarantined is not reported as deleted. */
  renewDeletions(): void {
    if (attempt(() => this.#deletions.renew()) === true) this.#renewSoon();
  }

  /** As soon as the lock of an index is gone: the next git would commit a deletion. */
  #renewSoon(): void {
    if (this.#closed) return;
    this.#renewal ??= setTimeout(() => {
      this.#renewal = undefined;
      this.renewDeletions();
    }, LOCK_STEP_MS).unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#renewal);
  }

  /** It is told that others would run it, as long as it is there. @param why the end of a sentence */
  reportStuck(path: string, why: string): void {
    this.#stuck.set(path, why);
  }

  /** What could not be moved since this was last asked, and why. */
  stuck(): [path: string, why: string][] {
    const isGone = (path: string): boolean => attempt(() => statEntry(path) === undefined) === true;
    const all = [...this.#stuck].filter(([path]) => !isGone(path));
    this.#stuck.clear();
    return all;
  }

  /** Returns where it is kept. */
  #move(path: string): string | undefined {
    return withOpenFolder(path, (at) => {
      if (statEntry(at) === undefined) return undefined;
      this.#count++;
      const date = new Date().toISOString().slice(0, 10);
      const moved = moveInto(join(this.#folder, `${date}-${this.#name()}`), path, at);
      if (moved !== "elsewhere") return moved;
      // On that file system, but where git does not take it for a new file.
      const common = findWorkingTree(path, this.#places)?.common;
      const inGit =
        common && attempt(() => moveInto(join(common, GIT_QUARANTINE_FOLDER, this.#name()), path, at));
      if (inGit !== undefined && inGit !== "elsewhere") return inGit;
      // With a name that means nothing to anybody.
      const name = basename(path).replace(BESIDE, "");
      const beside = `${name.slice(0, MOST_NAME)}.held-back-${randomBytes(4).toString("hex")}`;
      renameSync(nativePath(at), nativePath(join(dirname(at), beside)));
      this.siblings.add(join(dirname(path), beside));
      return join(dirname(path), beside);
    });
  }

  #name(): string {
    return `${randomBytes(4).toString("hex")}-${this.#count}`;
  }

  /** Instead of what was there, which is kept. What others put there meanwhile is not touched, and may be as bad. */
  replace(path: string, text: Buffer, why: string): QuarantineResult[] {
    return this.move(path, why).map((moved) => {
      const rest = restoreRest(path, text);
      return { ...moved, why: `${why}; ${rest}`, rest };
    });
  }
}

function restoreRest(path: string, text: Buffer): string {
  try {
    const isWritten = withOpenFolder(path, (at) => {
      writeFileSync(nativePath(at), text, { flag: "wx", mode: 0o644 });
      return true;
    });
    return isWritten === true ? "the others are still there" : "its folder is another one by now";
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EEXIST"
      ? "somebody has made another file there meanwhile"
      : `the others could not be written there again (${getErrorMessage(thrown)})`;
  }
}

/** @param at the same as the path, in a folder that is open @returns where it is now */
function moveInto(folder: string, path: string, at: string): string | undefined {
  makePrivateFolder(folder);
  // Commands can put a link into a folder of git's.
  if (realRepositoryPath(folder) !== folder) return "elsewhere";
  const kept = join(folder, basename(path));
  try {
    renameSync(nativePath(at), nativePath(kept));
    return kept;
  } catch (thrown) {
    attempt(() => rmdirSync(folder));
    const { code } = thrown as NodeJS.ErrnoException;
    // Commands may have moved it meanwhile.
    if (code === "ENOENT") return undefined;
    // A folder that its owner may not write cannot leave the one it is in.
    if (code === "EXDEV" || code === "EACCES") return "elsewhere";
    throw thrown;
  }
}
