import { attempt, makePrivateFolder } from "@haft/workspace/internal/system";
import { randomBytes } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Where something is that was moved out of everybody's way. */
export interface Kept {
  path: string;
  /** Where it is now. */
  kept: string;
}

/** Moves things to a private folder: nothing is read, followed or removed, so that whoever still writes there gains nothing. */
export class KeptAside {
  readonly #folder: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `undefined` when it is not there any more, or the folder it was in is another one. */
  move(path: string): Kept | undefined {
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
        const { code } = thrown as NodeJS.ErrnoException;
        // Commands may have moved it meanwhile.
        if (code === "ENOENT") return undefined;
        if (code !== "EXDEV") throw thrown;
      }
      // On another file system: with a name that means nothing to anybody.
      const beside = `${basename(path)}.held-back-${randomBytes(4).toString("hex")}`;
      renameSync(at, join(dirname(at), beside));
      return { path, kept: join(dirname(path), beside) };
    });
  }

  /** Instead of what was there, which is kept. */
  replace(path: string, text: Buffer): Kept | undefined {
    const kept = this.move(path);
    // Whoever removed the folder meanwhile, or took the name, has what is there.
    attempt(() => inFolder(path, (at) => writeFileSync(at, text, { flag: "wx", mode: 0o644 })));
    return kept;
  }
}

/** What is done by a name in the folder that is called so now, and in no other, whatever takes its place meanwhile. */
function inFolder<T>(path: string, work: (at: string) => T): T | undefined {
  const folder = dirname(path);
  const file = attempt(() =>
    openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW),
  );
  if (file === undefined) return undefined;
  try {
    const opened = `/proc/self/fd/${file}`;
    return readlinkSync(opened) === folder ? work(join(opened, basename(path))) : undefined;
  } finally {
    closeSync(file);
  }
}
