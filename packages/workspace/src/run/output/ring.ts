const FIRST_CAPACITY = 4096;

export class Ring {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #end = 0;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get start(): number {
    return this.#end - this.#held;
  }

  push(bytes: Uint8Array): void {
    const last = bytes.length > this.#limit ? bytes.subarray(bytes.length - this.#limit) : bytes;
    this.#end += bytes.length - last.length;
    if (last.length < bytes.length) this.#held = 0;
    this.#makeRoom(Math.min(this.#limit, this.#held + last.length));
    const capacity = this.#buffer.length;
    if (capacity === 0) {
      this.#end += last.length;
      return;
    }
    const at = this.#end % capacity;
    const first = Math.min(last.length, capacity - at);
    this.#buffer.set(last.subarray(0, first), at);
    if (first < last.length) this.#buffer.set(last.subarray(first), 0);
    this.#end += last.length;
    this.#held = Math.min(capacity, this.#held + last.length);
  }

  copy(from: number, to: number): Buffer {
    if (from < this.start || to > this.#end || from > to) {
      throw new RangeError(`The ring holds ${this.start} to ${this.#end}, not ${from} to ${to}.`);
    }
    const copy = Buffer.allocUnsafe(to - from);
    if (copy.length === 0) return copy;
    const at = from % this.#buffer.length;
    const first = Math.min(copy.length, this.#buffer.length - at);
    this.#buffer.copy(copy, 0, at, at + first);
    if (first < copy.length) this.#buffer.copy(copy, first, 0, copy.length - first);
    return copy;
  }

  #makeRoom(needed: number): void {
    if (needed <= this.#buffer.length) return;
    const capacity = Math.min(this.#limit, Math.max(FIRST_CAPACITY, 2 ** Math.ceil(Math.log2(needed))));
    const held = this.copy(this.start, this.#end);
    this.#buffer = Buffer.allocUnsafe(capacity);
    for (let done = 0, at = this.start % capacity; done < held.length; at = 0) {
      const part = Math.min(held.length - done, capacity - at);
      held.copy(this.#buffer, at, done, done + part);
      done += part;
    }
  }
}
