import {
  createHash,
  createSecretKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { NodeDeclaration } from "../contract/declaration.ts";

export const DOMAINS = {
  hello: "haft node hello 1",
  answer: "haft node hello answer 1",
  unknown: "haft node unknown link 1",
  here: "haft node here 1",
};

export interface LinkKeys {
  readonly host: KeyObject;
  readonly node: KeyObject;
}

const SPKI = Buffer.from("302a300506032b656e032100", "hex");

export function createEphemeralKeyPair(): { publicKey: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync("x25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
  });
  return { publicKey: publicKey.subarray(SPKI.length).toString("base64url"), privateKey };
}

/** Derives link keys from the whole handshake; `undefined` for an invalid key. */
export function deriveLinkKeys(
  privateKey: KeyObject,
  otherKey: unknown,
  hello: Uint8Array,
  answer: Uint8Array,
): LinkKeys | undefined {
  const shared = sharedSecret(privateKey, otherKey);
  if (shared === undefined) return undefined;
  const salt = createHash("sha256").update(hash(hello)).update(hash(answer)).digest();
  const keys = Buffer.from(hkdfSync("sha256", shared, salt, "haft node link 1", 64));
  return { host: createSecretKey(keys.subarray(0, 32)), node: createSecretKey(keys.subarray(32)) };
}

function sharedSecret(privateKey: KeyObject, otherKey: unknown): Buffer | undefined {
  if (typeof otherKey !== "string") return undefined;
  const raw = Buffer.from(otherKey, "base64url");
  if (raw.length !== 32) return undefined;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: "der", type: "spki" });
    return diffieHellman({ privateKey, publicKey });
  } catch {
    // A point of small order.
    return undefined;
  }
}

export function hash(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Counts attacks and faults on the bus. */
export interface LinkCounts {
  /** Counts messages with an invalid signature or code, or without a request. */
  forged: number;
  /** Counts repeated messages and wrong orders. */
  replayed: number;
}

export interface AgreedLink {
  readonly nodeId: string;
  readonly hostId: string;
  /** 16 bytes. */
  readonly link: Buffer;
  readonly keys: LinkKeys;
  readonly declaration: NodeDeclaration;
}
