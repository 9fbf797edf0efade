import { messageOf } from "@haft/core";
import { attempt, makePrivateFolder } from "@haft/workspace/internal/system";
import { randomBytes } from "node:crypto";
import { appendFileSync, lstatSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nativePath } from "../../mounts/raw-path.ts";
import { inFolder } from "../files/in-folder.ts";
import { HiddenDeletions, lockOf, showToGit } from "../git-index/hide-deletions.ts";
import { findWorkingTree } from "../git-index/working-tree.ts";
import { realOf } from "../git/repository.ts";
import { type Kept, listKept } from "./kept-list.ts";
import { MovedAgain } from "./moved-again.ts";

export interface Replaced extends Kept {
  /** What is there now, as the end of a sentence. */
  rest: string;
}

/** In the folder of a repository: quarantined files of working trees that lie on another file system than Haft's state. */
export const HELD_BACK_IN_GIT = "haft-held-back";
const BESIDE = /\.held-back-[0-9a-f]{8}$/;
const MOST_NAME = 100;
const LOCK_STEP_MS = 20;

/** Moves things to a private folder: nothing is read, followed or removed, so that whoever still writes there gains nothing. */
export class KeptAside {
  /** Where it stands what was moved where: a line of JSON each. */
  readonly list: string;
  readonly #folder: string;
  readonly #places: readonly string[];
  readonly #deletions: HiddenDeletions;
  /** Kept beside where it was: there is no other place on that file system. */
  readonly beside = new Set<string>();
  readonly again = new MovedAgain();
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
    for (const { git, kept } of listKept(folder)) if (git !== undefined) this.#deletions.keep(git, kept);
  }

  /** `undefined` when it is not there any more, or the folder it was in is another one. */
  move(path: string): Kept | undefined {
    const moved = this.#hideAndMove(path, false);
    return moved === "locked" ? undefined : moved;
  }

  /**
   * The same, but for a file in a working tree whose index is locked: it stays. A git that holds the lock may be looking for changes at
   * this moment, and would take the missing file for a deletion.
   */
  moveUnlessLocked(path: string): Kept | "locked" | undefined {
    return this.#hideAndMove(path, true);
  }

  #hideAndMove(path: string, mayWait: boolean): Kept | "locked" | undefined {
    this.tried++;
    // Before the move: a git that runs at this moment sees no missing file.
    const hiding = attempt(() => this.#deletions.hide(path));
    const { git, isLocked = false } = hiding ?? {};
    const lock = git !== undefined && isLocked ? lockOf(git) : undefined;
    if (mayWait && isLocked && (lock === undefined || !this.#waitedFor.has(lock))) return "locked";
    if (lock !== undefined) this.#waitedFor.add(lock);
    try {
      const moved = this.#move(path);
      if (moved === undefined) return void (git && !isLocked && showToGit(git));
      this.again.note(path);
      const record = { ...moved, ...(git && { git }), ...(isLocked && { isUnmarked: true as const }) };
      if (git !== undefined) this.#deletions.keep(git, moved.kept);
      if (isLocked) this.#renewSoon();
      appendFileSync(this.list, `${JSON.stringify(record)}\n`, { mode: 0o600 });
      return record;
    } catch (thrown) {
      if (git !== undefined) attempt(() => showToGit(git));
      this.giveUp(path, messageOf(thrown));
      return undefined;
    }
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
  giveUp(path: string, why: string): void {
    this.#stuck.set(path, why);
  }

  /** What could not be moved since this was last asked, and why. */
  stuck(): [path: string, why: string][] {
    const all = [...this.#stuck].filter(
      ([path]) => lstatSync(nativePath(path), { throwIfNoEntry: false }) !== undefined,
    );
    this.#stuck.clear();
    return all;
  }

  #move(path: string): Kept | undefined {
    return inFolder(path, (at) => {
      if (lstatSync(nativePath(at), { throwIfNoEntry: false }) === undefined) return undefined;
      const moved = moveInto(
        this.#folder,
        path,
        at,
        `${new Date().toISOString().slice(0, 10)}-`,
        ++this.#count,
      );
      if (moved !== "elsewhere") return moved;
      // On that file system, but where git does not take it for a new file.
      const common = findWorkingTree(path, this.#places)?.common;
      const inGit =
        common === undefined
          ? undefined
          : attempt(() => moveInto(join(common, HELD_BACK_IN_GIT), path, at, "", this.#count));
      if (inGit !== undefined && inGit !== "elsewhere") return inGit;
      // With a name that means nothing to anybody.
      const name = basename(path).replace(BESIDE, "");
      const beside = `${name.slice(0, MOST_NAME)}.held-back-${randomBytes(4).toString("hex")}`;
      renameSync(nativePath(at), nativePath(join(dirname(at), beside)));
      this.beside.add(join(dirname(path), beside));
      return { path, kept: join(dirname(path), beside) };
    });
  }

  /** Instead of what was there, which is kept. What others put there meanwhile is not touched, and may be as bad. */
  replace(path: string, text: Buffer): Replaced | undefined {
    const kept = this.move(path);
    if (kept === undefined) return undefined;
    try {
      const isWritten = inFolder(path, (at) => {
        writeFileSync(nativePath(at), text, { flag: "wx", mode: 0o644 });
        return true;
      });
      const rest = isWritten === true ? "the others are still there" : "its folder is another one by now";
      return { ...kept, rest };
    } catch (thrown) {
      const isThere = (thrown as NodeJS.ErrnoException).code === "EEXIST";
      const rest = isThere
        ? "somebody has made another file there meanwhile"
        : `the others could not be written there again (${messageOf(thrown)})`;
      return { ...kept, rest };
    }
  }
}

/** @param at the same as the path, in a folder that is open */
function moveInto(
  all: string,
  path: string,
  at: string,
  prefix: string,
  count: number,
): Kept | "elsewhere" | undefined {
  const folder = join(all, `${prefix}${randomBytes(4).toString("hex")}-${count}`);
  makePrivateFolder(folder);
  // Commands can put a link into a folder of git's.
  if (realOf(folder) !== folder) return "elsewhere";
  const kept = join(folder, basename(path));
  try {
    renameSync(nativePath(at), nativePath(kept));
    return { path, kept };
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
