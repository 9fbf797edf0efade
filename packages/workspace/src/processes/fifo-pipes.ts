import { execFile } from "node:child_process";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Two ends of a pipe: what the command gets, and what stays here. */
export interface PipeEnds {
  theirs: number;
  ours: number;
  /** For {@link FifoPipes.giveBack}. */
  name: string;
}

const BATCH = 32;

/**
 * Real pipes for commands. Node gives its children sockets, which cannot be opened by name: `echo >/dev/stderr`
 * and `cat /dev/stdin` would fail in every script that uses them. Named pipes are made in batches by one `mkfifo`,
 * and used again once nobody holds them any more.
 */
export class FifoPipes {
  readonly #folder: string;
  readonly #free: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes sure that so many pipes can be opened. */
  async reserve(count: number): Promise<void> {
    while (this.#free.length < count) await (this.#making ??= this.#make());
  }

  /** A pipe the command writes to. */
  forOutput(): PipeEnds {
    return this.#open((path) => {
      // Opened first and without blocking, so that the other end opens at once and stays a blocking one.
      const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      return [() => openSync(path, constants.O_WRONLY), ours];
    });
  }

  /** A pipe the command reads from. It is not used again: nobody can tell when its readers are gone. */
  forInput(): PipeEnds {
    return this.#open((path) => {
      // Each of the two ends opens without waiting because this one stands in for the other.
      const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      const ours = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return [
        () => {
          const theirs = openSync(path, constants.O_RDONLY);
          closeSync(both);
          unlinkSync(path);
          return theirs;
        },
        ours,
      ];
    });
  }

  /** To be used again: both ends are closed everywhere. */
  giveBack(name: string): void {
    this.#free.push(name);
  }

  #open(ends: (path: string) => [() => number, number]): PipeEnds {
    const name = this.#free.pop();
    if (name === undefined) throw new Error("reserve pipes before you open them");
    const [theirs, ours] = ends(join(this.#folder, name));
    try {
      return { theirs: theirs(), ours, name };
    } catch (thrown) {
      closeSync(ours);
      throw thrown;
    }
  }

  async #make(): Promise<void> {
    const names = Array.from({ length: BATCH }, () => `pipe-${(this.#made++).toString(36)}`);
    try {
      await promisify(execFile)(
        "mkfifo",
        ["-m", "600", "--", ...names.map((name) => join(this.#folder, name))],
        { env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" } },
      );
      this.#free.push(...names);
    } finally {
      this.#making = undefined;
    }
  }
}
