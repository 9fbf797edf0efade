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

/** Limits the read bytes. Records are smaller; text appended to a file may not be. */
const LARGEST = 4 * 1024 * 1024;
/** Milliseconds until a temporary file is abandoned. */
const ABANDONED_MS = 60 * 60_000;
const UNFINISHED = ".new-";

/** Describes a file of a {@link PrivateFolder}. */
export interface PrivateText {
  /** The content, as UTF-8. */
  text: string;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

/**
 * A folder of small files for their owner only, for several processes. A file appears completely or not at all. The caller checks file
 * names.
 *
 * @example
 * ```ts run
 * import { PrivateFolder } from "@haft/system";
 * const records = new PrivateFolder("records");
 * records.create("session-1.json", '{ "pid": 42 }'); // => true
 * records.create("session-1.json", "{}"); // => false
 * records.read("session-1.json")?.text; // => '{ "pid": 42 }'
 * ```
 */
export class PrivateFolder {
  /** Locates the folder. */
  readonly path: string;
  readonly #otherwise: string;

  /** @param otherwise Suggests an alternative folder, for the `fix` of errors. */
  constructor(
    path: string,
    otherwise = "name another folder: stateDir of the host, --state or HAFT_STATE_DIR",
  ) {
    this.path = path;
    this.#otherwise = otherwise;
  }

  /**
   * Makes the folder.
   *
   * @throws HaftError `STATE_FOLDER_FAILED` for another user's folder
   */
  make(): void {
    try {
      makePrivateFolder(this.path);
    } catch (thrown) {
      throw thrown instanceof NotPrivateError ? this.#unsafe() : this.#failed(this.path, thrown);
    }
  }

  /** Creates a file that survives a system crash. Returns false if the name exists; that file stays. */
  create(name: string, text: string): boolean {
    // A link, unlike a rename, replaces nothing.
    return this.#publish(text, true, (unfinished) => linkSync(unfinished, join(this.path, name)));
  }

  /** Creates or replaces a file. */
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

  /**
   * Returns a file, or `undefined` if it does not exist.
   *
   * @throws Error if it is not a regular file of this user, or others can write to it
   */
  read(name: string): PrivateText | undefined {
    // A pipe must not block, and a link not lead elsewhere.
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

  /** Appends text. Returns false if the file does not exist. */
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

  /** Renames a file. Of several processes, exactly one gets true. */
  claim(name: string, newName: string): boolean {
    return this.#didIfThere(name, (path) => renameSync(path, join(this.path, newName)));
  }

  /** Removes a file. Returns false if it does not exist. */
  remove(name: string): boolean {
    return this.#didIfThere(name, unlinkSync);
  }

  /** Sets a file's modification time to now, if it exists. */
  touch(name: string): void {
    const now = new Date();
    // A missing file is ignored.
    attempt(() => utimesSync(join(this.path, name), now, now));
  }

  /** Returns the names of all files, if any. Removes unfinished files of crashes. */
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
    const message = `${this.path} can be changed by other users, so its content cannot be trusted.`;
    return systemError("STATE_FOLDER_FAILED", message, { fix: `Move it away, or ${this.#otherwise}.` });
  }

  #failed(path: string, thrown: unknown): HaftError {
    const message = `${path} cannot be used: ${systemReason(thrown)}.`;
    const fix = `Let this user read and write it, or ${this.#otherwise}.`;
    return systemError("STATE_FOLDER_FAILED", message, { fix, receipt: "none", cause: thrown });
  }
}
