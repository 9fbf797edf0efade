import { messageOf } from "@haft/core";
import { attempt, makePrivateFolder } from "@haft/workspace/internal/system";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Where something is that was moved out of everybody's way. */
export interface Kept {
  path: string;
  /** Where it is now. */
  kept: string;
}

/** Something harmless was to take its place. */
export interface Replaced extends Kept {
  /** What is there now, as the end of a sentence. */
  rest: string;
}

const BESIDE = /\.held-back-[0-9a-f]{8}$/;
const MOST_NAME = 100;

/** Moves things to a private folder: nothing is read, followed or removed, so that whoever still writes there gains nothing. */
export class KeptAside {
  /** Where it stands what was moved where: a line of JSON each. */
  readonly list: string;
  readonly #folder: string;
  /** Kept beside where it was: there is no other place on that file system. */
  readonly beside = new Set<string>();
  readonly #stuck = new Map<string, string>();
  #count = 0;
  /** How often something was to be moved, whether it could be or not. */
  tried = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.list = join(folder, "list.jsonl");
  }

  /** `undefined` when it is not there any more, or the folder it was in is another one. */
  move(path: string): Kept | undefined {
    this.tried++;
    try {
      const moved = this.#move(path);
      if (moved !== undefined) appendFileSync(this.list, `${JSON.stringify(moved)}\n`, { mode: 0o600 });
      return moved;
    } catch (thrown) {
      this.giveUp(path, messageOf(thrown));
      return undefined;
    }
  }

  /** It is told that others would run it, as long as it is there. @param why the end of a sentence */
  giveUp(path: string, why: string): void {
    this.#stuck.set(path, why);
  }

  /** What could not be moved since this was last asked, and why. */
  stuck(): [path: string, why: string][] {
    const all = [...this.#stuck].filter(([path]) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
    this.#stuck.clear();
    return all;
  }

  #move(path: string): Kept | undefined {
    return inFolder(path, (at) => {
      if (lstatSync(at, { throwIfNoEntry: false }) === undefined) return undefined;
      const folder = join(
        this.#folder,
        `${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString("hex")}-${++this.#count}`,
      );
      makePrivateFolder(folder);
      const kept = join(folder, basename(path));
      try {
        renameSync(at, kept);
        return { path, kept };
      } catch (thrown) {
        attempt(() => rmdirSync(folder));
        const { code } = thrown as NodeJS.ErrnoException;
        // Commands may have moved it meanwhile.
        if (code === "ENOENT") return undefined;
        // A folder that its owner may not write cannot leave the one it is in.
        if (code !== "EXDEV" && code !== "EACCES") throw thrown;
      }
      // On another file system: with a name that means nothing to anybody.
      const name = basename(path).replace(BESIDE, "");
      const beside = `${name.slice(0, MOST_NAME)}.held-back-${randomBytes(4).toString("hex")}`;
      renameSync(at, join(dirname(at), beside));
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
        writeFileSync(at, text, { flag: "wx", mode: 0o644 });
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

/** What is done by a name in the folder that is called so now, and in no other, whatever takes its place meanwhile. */
function inFolder<T>(path: string, work: (at: string) => T): T | undefined {
  const folder = dirname(path);
  const file = openFolder(folder);
  if (file === undefined) return undefined;
  try {
    const opened = `/proc/self/fd/${file}`;
    if (readlinkSync(opened) !== folder) return undefined;
    const { mode } = fstatSync(file);
    if ((mode & 0o200) !== 0) return work(join(opened, basename(path)));
    // Commands can forbid their own user to change what is in there.
    fchmodSync(file, (mode & 0o777) | 0o700);
    try {
      return work(join(opened, basename(path)));
    } finally {
      fchmodSync(file, mode & 0o7777);
    }
  } finally {
    closeSync(file);
  }
}

/** @throws Error when it is there and cannot be opened */
function openFolder(folder: string): number | undefined {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (GONE.has((thrown as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw thrown;
  }
}

const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);
