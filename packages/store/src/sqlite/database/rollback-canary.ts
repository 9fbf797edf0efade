import { attempt } from "@haft/system";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";

export interface CanaryRecord {
  readonly store: number;
  readonly commits: number;
  /** A row that must exist since then; 0: none. */
  readonly row: number;
}

const NUMBERS = 3;

/**
 * Records the last commit next to the file, without waiting for the disk. It reveals a missing write-ahead file, which SQLite ignores.
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

  /** Returns false on failure; the previous mark remains valid. */
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
