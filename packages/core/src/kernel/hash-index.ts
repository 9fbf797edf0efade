import { sha256 } from "@haft/utils";

/** Slots of an empty index. A power of two, as all numbers of slots. */
const FIRST_SLOTS = 16;
/** Longer texts are hashed by their digest. */
const MAX_LENGTH = 512;

/** Finds one of very many objects by its text. A `Map` compares texts all over memory, which dominates long sessions. */
export class HashIndex<Value> {
  /** In the order they were added, until the first is forgotten. */
  readonly values: Value[] = [];
  readonly #textOf: (value: Value) => string;
  readonly #most: number;
  #oldest = 0;
  /** Pairs of a hash and the number of its value, counted from 1; 0 where a slot is free. Half of them are, at least. */
  #slots = new Int32Array(FIRST_SLOTS * 2);
  /** By so many bits a hash is shifted to the slot where the search begins. */
  #shift = 32 - Math.log2(FIRST_SLOTS);

  /** @param textOf constant for a value @param most values; beyond, the oldest is forgotten for each new one */
  constructor(textOf: (value: Value) => string, most = Number.POSITIVE_INFINITY) {
    this.#textOf = textOf;
    this.#most = most;
  }

  get(text: string): Value | undefined {
    const slots = this.#slots;
    const hash = hashOf(text);
    for (let at = this.#start(hash); ; at = (at + 2) & (slots.length - 1)) {
      const number = slots[at + 1]!;
      if (number === 0) return undefined;
      if (slots[at] !== hash) continue;
      const value = this.values[number - 1]!;
      if (this.#textOf(value) === text) return value;
    }
  }

  /** Whoever adds has seen that the text is not there: of two values with one text, either may be found. */
  add(value: Value): void {
    const { values } = this;
    const hash = hashOf(this.#textOf(value));
    if (values.length < this.#most) {
      const number = values.push(value);
      if (number * 4 > this.#slots.length) this.#grow();
      this.#put(hash, number);
      return;
    }
    const place = this.#oldest;
    this.#remove(hashOf(this.#textOf(values[place]!)), place + 1);
    values[place] = value;
    this.#put(hash, place + 1);
    this.#oldest = (place + 1) % this.#most;
  }

  #start(hash: number): number {
    return (hash >>> this.#shift) * 2;
  }

  #put(hash: number, number: number): void {
    const slots = this.#slots;
    let at = this.#start(hash);
    while (slots[at + 1] !== 0) at = (at + 2) & (slots.length - 1);
    slots[at] = hash;
    slots[at + 1] = number;
  }

  /** What follows moves up, so that no gap ends a search early. */
  #remove(hash: number, number: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let gap = this.#start(hash);
    while (slots[gap + 1] !== number) gap = (gap + 2) & mask;
    for (let at = (gap + 2) & mask; slots[at + 1] !== 0; at = (at + 2) & mask) {
      const distance = (at - this.#start(slots[at]!)) & mask;
      if (distance < ((at - gap) & mask)) continue;
      slots[gap] = slots[at]!;
      slots[gap + 1] = slots[at + 1]!;
      gap = at;
    }
    slots[gap + 1] = 0;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#slots = new Int32Array(slots.length * 2);
    this.#shift--;
    for (let at = 0; at < slots.length; at += 2) {
      if (slots[at + 1] !== 0) this.#put(slots[at]!, slots[at + 1]!);
    }
  }
}

/** For the length of a text and each of its characters a number that nobody knows; others in every process. */
let secrets: Int32Array | undefined;
/** What is looked for is looked for again, or added, as a rule. */
let latestText = "";
let latestHash = 0;

/** Multilinear hashing: without the secret numbers nobody finds collisions in the upper bits, which choose the slot. */
function hashOf(text: string): number {
  if (text === latestText) return latestHash;
  if (text.length > MAX_LENGTH) return hashOf(sha256(text));
  secrets ??= process.getBuiltinModule("node:crypto").randomFillSync(new Int32Array(MAX_LENGTH + 1));
  let hash = Math.imul(secrets[0]!, text.length);
  for (let at = 0; at < text.length; at++) {
    hash = (hash + Math.imul(secrets[at + 1]!, text.charCodeAt(at))) | 0;
  }
  latestText = text;
  latestHash = hash;
  return hash;
}
