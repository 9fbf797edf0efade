import { sha256 } from "@haft/utils";

const FIRST_SLOTS = 16;
const MAX_LENGTH = 512;

/** A `Map` compares texts across memory, which dominates long sessions. */
export class HashIndex<Value> {
  readonly values: Value[] = [];
  readonly #textOf: (value: Value) => string;
  readonly #most: number;
  #oldest = 0;
  /** Pairs of a hash and a value number from 1; 0 marks a free slot. At least half are free. */
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #shift = 32 - Math.log2(FIRST_SLOTS);

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

  add(value: Value): void {
    const { values } = this;
    const hash = hashOf(this.#textOf(value));
    if (values.length < this.#most) {
      const number = values.push(value);
      if (number * 4 > this.#slots.length) this.#grow();
      this.#put(hash, number);
      return;
    }
    const slot = this.#oldest;
    this.#remove(hashOf(this.#textOf(values[slot]!)), slot + 1);
    values[slot] = value;
    this.#put(hash, slot + 1);
    this.#oldest = (slot + 1) % this.#most;
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

/** Secret random numbers, for the length and each character. */
let secrets: Int32Array | undefined;
let latestText = "";
let latestHash = 0;

/** Multilinear hashing: without the secrets, attackers find no collisions in the upper bits, which select the slot. */
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
