import { type Identity, isSignedBy } from "../keys/identity.ts";
import { readObject } from "./read-object.ts";

/** `[2][64 bytes: signature][JSON]`: what is said before there is a key for codes, and that there is none any more. */
const KIND = 2;
const TEXT = 65;

/** A signed message. @param parts what it is about beside its text: each side knows it */
export function signMessage(
  identity: Identity,
  domain: string,
  value: object,
  ...parts: readonly Uint8Array[]
): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.of(KIND), identity.sign(domain, json, ...parts), json]);
}

export function isSigned(bytes: Uint8Array): boolean {
  return bytes.length > TEXT && bytes[0] === KIND;
}

/** Its text, before anybody looked at the signature: to find out whose it should be. */
export function readUnverified(bytes: Uint8Array): Record<string, unknown> | undefined {
  return isSigned(bytes) ? readObject(bytes.subarray(TEXT)) : undefined;
}

export function verifyMessage(
  id: string,
  bytes: Uint8Array,
  domain: string,
  ...parts: readonly Uint8Array[]
): Record<string, unknown> | undefined {
  const value = readUnverified(bytes);
  if (value === undefined) return undefined;
  return isSignedBy(id, bytes.subarray(1, TEXT), domain, bytes.subarray(TEXT), ...parts) ? value : undefined;
}

/** Signatures that a node makes in a second for whoever asks: each costs it a tenth of a millisecond. */
export class SigningBudget {
  readonly #aSecond: number;
  #second = 0;
  #count = 0;

  constructor(aSecond: number) {
    this.#aSecond = aSecond;
  }

  has(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (this.#second !== second) [this.#second, this.#count] = [second, 0];
    return ++this.#count <= this.#aSecond;
  }
}
