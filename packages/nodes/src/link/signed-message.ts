import { type Identity, isSignedBy } from "../keys/identity.ts";
import { readObject } from "./read-object.ts";

/** `[2][64 bytes: signature][JSON]`: messages without a shared key. */
const KIND = 2;
const TEXT = 65;

/** @param parts context known to both sides */
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

/** Returns unverified content, to find the signer. */
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

/** Limits signatures per second for unauthenticated requests; each takes 0.1 ms. */
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
