import { attempt } from "@haft/system";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";

export interface CanaryRecord {
  readonly store: number;
  readonly commits: number;
  /** A row that has to be there since then; 0: none. */
  readonly row: number;
}

const NUMBERS = 3;

/**
 * A few bytes beside the file, written after each commit and never waited for. SQLite takes a file without its
 * write-ahead file for whole; by these bytes the end that is missing is noticed.
 */
export class RollbackCanary {
  readonly #file: number;
  readonly #bytes = Buffer.alloc(NUMBERS * 8);
  readonly #numbers = new Float64Array(this.#bytes.buffer, this.#bytes.byteOffset, NUMBERS);

  constructor(path: string) {
    const { O_CREAT, O_RDWR } = constants;
    this.#file = openSync(`${path}-mark`, O_CREAT | O_RDWR | (constants.O_NOFOLLOW ?? 0), 0o600);
  }

  read(): CanaryRecord | undefined {
    if (readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0) < this.#bytes.length) return undefined;
    const [store, commits, row] = this.#numbers as unknown as [number, number, number];
    return { store, commits, row };
  }

  /** What cannot be marked is committed all the same; the mark before stays, and is true. False then. */
  write({ store, commits, row }: CanaryRecord): boolean {
    this.#numbers[0] = store;
    this.#numbers[1] = commits;
    this.#numbers[2] = row;
    const { length } = this.#bytes;
    return attempt(() => writeSync(this.#file, this.#bytes, 0, length, 0)) === length;
  }

  close(): void {
    closeSync(this.#file);
  }
}
