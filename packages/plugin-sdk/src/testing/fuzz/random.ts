/** Numbers that look random and are the same for the same seed, on every machine. */
export class Random {
  #state: number;

  /** @param seed any text or number */
  constructor(seed: string | number) {
    this.#state = hash(String(seed));
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True so often, of 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of these. */
  pick<T>(values: readonly T[]): T {
    return values[this.integer(0, values.length - 1)]!;
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
