import type { HaftError } from "@haft/core";
import { messageOf } from "@haft/core";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { workspaceError } from "../errors.ts";

/** Bytes of a file that are read. No record is as big; what was added behind one may be. */
const LARGEST = 4 * 1024 * 1024;
/** Milliseconds after which a temporary file belongs to nobody. */
const ABANDONED_MS = 60 * 60_000;
const UNFINISHED = ".new-";

/** What a file of a private folder held, and when it was last written to. */
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

  constructor(path: string) {
    this.path = path;
  }

  /** @throws HaftError `STATE_FOLDER_UNSAFE` when it is somebody else's */
  make(): void {
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      if (codeOf(thrown) === "ENOTDIR") throw unsafe(this.path);
      if (codeOf(thrown) !== "EEXIST") throw failed(this.path, thrown);
    }
    const found = lstatSync(this.path);
    if (!found.isDirectory() || !isOwn(found)) throw unsafe(this.path);
    if ((found.mode & 0o077) !== 0) chmodSync(this.path, 0o700);
  }

  /** False when there is a file of this name. */
  create(name: string, text: string): boolean {
    this.make();
    const unfinished = join(this.path, `${UNFINISHED}${randomBytes(8).toString("hex")}`);
    try {
      const file = openSync(unfinished, "wx", 0o600);
      try {
        writeSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      // A link, unlike a rename, does not replace what is there.
      linkSync(unfinished, join(this.path, name));
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === "EEXIST") return false;
      throw failed(this.path, thrown);
    } finally {
      unlinkIfThere(unfinished);
    }
  }

  /** `undefined` when it is not there. @throws Error when it is not a file of ours */
  read(name: string): PrivateText | undefined {
    let file: number;
    try {
      // A pipe must not make us wait, and a link not lead elsewhere.
      file = openSync(
        join(this.path, name),
        constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      );
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw failed(join(this.path, name), thrown);
    }
    try {
      const found = fstatSync(file);
      if (!found.isFile() || !isOwn(found) || (found.mode & 0o022) !== 0) {
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
    let file: number;
    try {
      file = openSync(
        join(this.path, name),
        constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0),
      );
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return false;
      throw failed(join(this.path, name), thrown);
    }
    try {
      writeSync(file, text);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Moves a file out of everybody's way. Of several who try, one succeeds. */
  claim(name: string, newName: string): boolean {
    try {
      renameSync(join(this.path, name), join(this.path, newName));
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return false;
      throw failed(join(this.path, name), thrown);
    }
  }

  /** False when it was not there. */
  remove(name: string): boolean {
    return unlinkIfThere(join(this.path, name));
  }

  /** Says that somebody still cares for a file. */
  touch(name: string): void {
    const now = new Date();
    try {
      utimesSync(join(this.path, name), now, now);
    } catch {
      // Then it is gone, and who holds it will be told otherwise.
    }
  }

  /** Names of all records, and of none when the folder is not there yet. Removes what a crash left unfinished. */
  names(): string[] {
    let entries: string[];
    try {
      entries = readdirSync(this.path);
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return [];
      throw codeOf(thrown) === "ENOTDIR" ? unsafe(this.path) : failed(this.path, thrown);
    }
    for (const entry of entries) if (entry.startsWith(".")) this.#removeAbandoned(entry);
    return entries.filter((entry) => !entry.startsWith("."));
  }

  #removeAbandoned(name: string): void {
    const found = lstatSync(join(this.path, name), { throwIfNoEntry: false });
    if (found?.isFile() && Date.now() - found.mtimeMs > ABANDONED_MS) this.remove(name);
  }
}

/** On Windows everybody's files are those of user 0, and the profile folder is what protects them. */
function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

function unlinkIfThere(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    throw failed(path, thrown);
  }
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { code?: unknown } | null)?.code;
}

function unsafe(path: string): HaftError {
  return workspaceError(
    "STATE_FOLDER_UNSAFE",
    `${path} is not a folder that this user has to themselves, so what it holds could be somebody else's decision.`,
    { fix: "Move it away, or name another folder with --state or HAFT_STATE_DIR." },
  );
}

/** What the system said of a path of ours. */
function failed(path: string, thrown: unknown): HaftError {
  const why = REASONS[String(codeOf(thrown))] ?? messageOf(thrown);
  return workspaceError("STATE_FOLDER_FAILED", `${path} cannot be used: ${why}.`, {
    fix: "See to it that this user can read and write it, or name another folder with --state or HAFT_STATE_DIR.",
    receipt: "none",
    cause: thrown,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "the system does not permit it",
  EPERM: "the system does not permit it",
  EROFS: "it is on a file system that is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  ELOOP: "it is a link",
};
