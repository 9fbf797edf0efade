import type { HaftError } from "@haft/core";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { attempt } from "../attempt.ts";
import { systemError } from "../errors.ts";
import { runnerErrno } from "../runner-error.ts";
import { systemReason } from "../system-reason.ts";
import { isOwnedByUser, makePrivateFolder, NotPrivateError } from "./make-private-folder.ts";

/** Bytes of a file that are read. No record is as big; what was added behind one may be. */
const LARGEST = 4 * 1024 * 1024;
/** Milliseconds after which a temporary file belongs to nobody. */
const ABANDONED_MS = 60 * 60_000;
const UNFINISHED = ".new-";

export interface PrivateText {
  text: string;
  /** Bytes. */
  size: number;
  modifiedAt: number;
}

/**
 * A folder of small files that only its owner can read, changed by several processes at once: a file appears whole,
 * and under a name that was free, or not at all. Names are the caller's to check.
 */
export class PrivateFolder {
  readonly path: string;
  readonly #otherwise: string;

  /** @param otherwise what to do when the folder cannot be used, for the fix of errors. */
  constructor(path: string, otherwise = "name another folder with --state or HAFT_STATE_DIR") {
    this.path = path;
    this.#otherwise = otherwise;
  }

  /** @throws HaftError `STATE_FOLDER_FAILED` when it is somebody else's */
  make(): void {
    try {
      makePrivateFolder(this.path);
    } catch (thrown) {
      throw thrown instanceof NotPrivateError ? this.#unsafe() : this.#failed(this.path, thrown);
    }
  }

  /** False when there is a file of this name. Once it is true, the file outlives a crash of the system. */
  create(name: string, text: string): boolean {
    // A link, unlike a rename, does not replace what is there.
    return this.#publish(text, true, (unfinished) => linkSync(unfinished, join(this.path, name)));
  }

  replace(name: string, text: string): void {
    this.#publish(text, false, (unfinished) => renameSync(unfinished, join(this.path, name)));
  }

  #publish(text: string, durable: boolean, publish: (unfinished: string) => void): boolean {
    this.make();
    const name = `${UNFINISHED}${randomBytes(8).toString("hex")}`;
    const unfinished = join(this.path, name);
    try {
      writeFileSync(unfinished, text, { flag: "wx", mode: 0o600, flush: durable });
      publish(unfinished);
      return true;
    } catch (thrown) {
      if (runnerErrno(thrown) === "EEXIST") return false;
      throw this.#failed(this.path, thrown);
    } finally {
      this.remove(name);
    }
  }

  /** `undefined` when it is not there. @throws Error when it is not a file of ours */
  read(name: string): PrivateText | undefined {
    // A pipe must not make us wait, and a link not lead elsewhere.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const file = this.#ifThere(name, (path) => openSync(path, flags));
    if (file === undefined) return undefined;
    try {
      const found = fstatSync(file);
      if (!found.isFile() || !isOwnedByUser(found) || (found.mode & 0o022) !== 0) {
        throw new Error("it is not a file that only its owner can write");
      }
      const bytes = Buffer.alloc(Math.min(found.size, LARGEST));
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return { text: bytes.toString("utf8", 0, length), size: found.size, modifiedAt: found.mtimeMs };
    } finally {
      closeSync(file);
    }
  }

  /** Adds to a file that is there. False when it is not; it does not come back by this. */
  append(name: string, text: string): boolean {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = this.#ifThere(name, (path) => openSync(path, flags));
    if (file === undefined) return false;
    try {
      writeSync(file, text);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Moves a file out of everybody's way. Of several who try, one succeeds. */
  claim(name: string, newName: string): boolean {
    return this.#didIfThere(name, (path) => renameSync(path, join(this.path, newName)));
  }

  remove(name: string): boolean {
    return this.#didIfThere(name, unlinkSync);
  }

  touch(name: string): void {
    const now = new Date();
    // Unless it is gone: who holds it will be told otherwise.
    attempt(() => utimesSync(join(this.path, name), now, now));
  }

  /** Names of all records, and of none when the folder is not there yet. Removes what a crash left unfinished. */
  names(): string[] {
    let entries: string[];
    try {
      entries = readdirSync(this.path);
    } catch (thrown) {
      if (runnerErrno(thrown) === "ENOENT") return [];
      throw runnerErrno(thrown) === "ENOTDIR" ? this.#unsafe() : this.#failed(this.path, thrown);
    }
    for (const entry of entries) if (entry.startsWith(".")) this.#removeAbandoned(entry);
    return entries.filter((entry) => !entry.startsWith("."));
  }

  #removeAbandoned(name: string): void {
    const found = lstatSync(join(this.path, name), { throwIfNoEntry: false });
    if (found?.isFile() && Date.now() - found.mtimeMs > ABANDONED_MS) this.remove(name);
  }

  #didIfThere(name: string, change: (path: string) => void): boolean {
    const done = this.#ifThere(name, (path) => {
      change(path);
      return true;
    });
    return done === true;
  }

  #ifThere<T>(name: string, use: (path: string) => T): T | undefined {
    const path = join(this.path, name);
    try {
      return use(path);
    } catch (thrown) {
      if (runnerErrno(thrown) === "ENOENT") return undefined;
      throw this.#failed(path, thrown);
    }
  }

  #unsafe(): HaftError {
    const message = `${this.path} is not a folder that this user has to themselves, so what it holds could be somebody else's decision.`;
    return systemError("STATE_FOLDER_FAILED", message, { fix: `Move it away, or ${this.#otherwise}.` });
  }

  #failed(path: string, thrown: unknown): HaftError {
    const message = `${path} cannot be used: ${systemReason(thrown)}.`;
    const fix = `See to it that this user can read and write it, or ${this.#otherwise}.`;
    return systemError("STATE_FOLDER_FAILED", message, { fix, receipt: "none", cause: thrown });
  }
}
