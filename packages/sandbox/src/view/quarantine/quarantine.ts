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

/** Plain data: one line of the list. */
export interface QuarantinedFile {
  path: string;
  kept: string;
  /** Set if git tracks it. No deletion is reported, unless {@link isUnmarked}. */
  git?: HiddenDeletion;
  /** The index was locked, so git may report a deletion for a while. */
  isUnmarked?: true;
}

export interface QuarantineResult extends QuarantinedFile {
  why: string;
  /** A failed replacement; the end of a sentence. */
  rest?: string;
}

/** For working trees on another file system than Haft's state. */
export const GIT_QUARANTINE_FOLDER = "haft-held-back";
const BESIDE = /\.held-back-[0-9a-f]{8}$/;
const MOST_NAME = 100;
const LOCK_STEP_MS = 20;
const LARGEST_LIST = 64 * 1024 * 1024;
const SOON_MS = 60_000;
const MOST_MOVES = 10_000;

export function listQuarantinedFiles(folder: string): QuarantinedFile[] {
  const text = attempt(() => readRegularFile(join(folder, "list.jsonl"), { maxBytes: LARGEST_LIST }));
  return (text?.toString() ?? "").split("\n").flatMap((line) => {
    const one = attempt(() => JSON.parse(line) as QuarantinedFile);
    return one !== undefined && entryExists(one.kept) ? [one] : [];
  });
}

/** Never reads, follows or removes the paths. */
export class Quarantine {
  readonly list: string;
  readonly #folder: string;
  readonly #folders: readonly string[];
  readonly #deletions: HiddenDeletions;
  /** Next to the original path, for lack of another location. */
  readonly siblings = new Set<string>();
  readonly #moves = new Map<string, { count: number; at: number }>();
  readonly #again = new Map<string, number>();
  readonly #stuck = new Map<string, string>();
  readonly #waitedFor = new Set<string>();
  #renewal: NodeJS.Timeout | undefined;
  #closed = false;
  #count = 0;
  tried = 0;

  constructor(folder: string, folders: readonly string[] = []) {
    this.#folder = folder;
    this.#folders = folders;
    this.list = join(folder, "list.jsonl");
    this.#deletions = new HiddenDeletions(folders);
    for (const { git, kept } of listQuarantinedFiles(folder))
      if (git !== undefined) this.#deletions.register(git, kept);
  }

  /** Empty if the path or its folder is gone. */
  move(path: string, why: string): QuarantineResult[] {
    const moved = this.#hideAndMove(path, why, false);
    return moved === "locked" || moved === undefined ? [] : [moved];
  }

  /** With a locked index, the running git would treat a missing file as deleted. */
  moveUnlessLocked(path: string, why: string): QuarantineResult[] | "locked" {
    const moved = this.#hideAndMove(path, why, true);
    return moved === "locked" ? moved : moved === undefined ? [] : [moved];
  }

  #hideAndMove(path: string, why: string, mayWait: boolean): QuarantineResult | "locked" | undefined {
    this.tried++;
    // First, so that a running git sees no missing file.
    const { git, isLocked = false } = attempt(() => this.#deletions.hide(path)) ?? {};
    const lock = git !== undefined && isLocked ? findIndexLock(git) : undefined;
    if (mayWait && isLocked && (lock === undefined || !this.#waitedFor.has(lock))) return "locked";
    if (lock !== undefined) this.#waitedFor.add(lock);
    try {
      const movedTo = this.#move(path);
      if (movedTo === undefined) return void (git && !isLocked && showToGit(git));
      this.#note(path);
      const record: QuarantinedFile = {
        path,
        kept: movedTo,
        ...(git && { git }),
        ...(isLocked && { isUnmarked: true }),
      };
      if (git !== undefined) this.#deletions.register(git, movedTo);
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

  /** Returns paths that returned within a minute, with the number of moves, since the last call. */
  takeRepeatedMoves(): [path: string, count: number][] {
    const all = [...this.#again];
    this.#again.clear();
    return all;
  }

  /** Git may have lost flags. */
  renewDeletions(): void {
    if (attempt(() => this.#deletions.renew()) === true) this.#renewSoon();
  }

  /** Otherwise the next git would commit a deletion. */
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

  reportStuck(path: string, why: string): void {
    this.#stuck.set(path, why);
  }

  stuck(): [path: string, why: string][] {
    const isMissing = (path: string): boolean => attempt(() => statEntry(path) === undefined) === true;
    const all = [...this.#stuck].filter(([path]) => !isMissing(path));
    this.#stuck.clear();
    return all;
  }

  #move(path: string): string | undefined {
    return withOpenFolder(path, (at) => {
      if (statEntry(at) === undefined) return undefined;
      this.#count++;
      const date = new Date().toISOString().slice(0, 10);
      const moved = moveInto(join(this.#folder, `${date}-${this.#name()}`), path, at);
      if (moved !== "elsewhere") return moved;
      // On the same file system; git does not see a new file there.
      const common = findWorkingTree(path, this.#folders)?.common;
      const inGit =
        common && attempt(() => moveInto(join(common, GIT_QUARANTINE_FOLDER, this.#name()), path, at));
      if (inGit !== undefined && inGit !== "elsewhere") return inGit;
      // No program looks for this name.
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

  /** Quarantines the old file. A concurrently created file stays. */
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
    return isWritten === true ? "the others remain" : "its folder was replaced";
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EEXIST"
      ? "another program has created a file there"
      : `the others could not be restored (${getErrorMessage(thrown)})`;
  }
}

function moveInto(folder: string, path: string, at: string): string | undefined {
  makePrivateFolder(folder);
  // Commands can put links there.
  if (realRepositoryPath(folder) !== folder) return "elsewhere";
  const target = join(folder, basename(path));
  try {
    renameSync(nativePath(at), nativePath(target));
    return target;
  } catch (thrown) {
    attempt(() => rmdirSync(folder));
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    // Without write permission, a folder cannot change its parent.
    if (code === "EXDEV" || code === "EACCES") return "elsewhere";
    throw thrown;
  }
}
