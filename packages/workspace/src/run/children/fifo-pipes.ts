import { findHostProgram, runProgram } from "@haft/system/processes";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";

export interface PipeEnds {
  theirs: number;
  ours: number;
  name: string;
}

const BATCH = 32;

/** On Linux, Node's sockets cannot be opened by name: `echo >/dev/stderr` would fail. */
export class FifoPipes {
  readonly #folder: string;
  readonly #free: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;
  #possible = process.platform === "linux";

  constructor(folder: string) {
    this.#folder = folder;
  }

  async pair(): Promise<[PipeEnds, PipeEnds] | undefined> {
    while (this.#possible && this.#free.length < 2) await (this.#making ??= this.#make());
    if (!this.#possible) return undefined;
    const first = this.#open();
    try {
      return [first, this.#open()];
    } catch (thrown) {
      closeSync(first.ours);
      closeSync(first.theirs);
      throw thrown;
    }
  }

  /** Both ends must be closed everywhere. */
  giveBack({ name }: PipeEnds): void {
    this.#free.push(name);
  }

  #open(): PipeEnds {
    const name = this.#free.pop()!;
    const path = join(this.#folder, name);
    // The reader comes first and non-blocking, so that the writer opens at once and blocks.
    const ours = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return { ours, theirs: openSync(path, constants.O_WRONLY), name };
    } catch (thrown) {
      closeSync(ours);
      throw thrown;
    }
  }

  async #make(): Promise<void> {
    const names = Array.from({ length: BATCH }, () => `pipe-${(this.#made++).toString(36)}`);
    const paths = names.map((name) => join(this.#folder, name));
    try {
      const { program } = findHostProgram("mkfifo");
      const args = ["-m", "600", "--", ...paths];
      // Without the program, Node's pipes are used.
      this.#possible =
        program !== undefined && (await runProgram(program, args, { env: {} })).failure === undefined;
      if (this.#possible) this.#free.push(...names);
    } finally {
      this.#making = undefined;
    }
  }
}
