import { PrivateFolder } from "@haft/system";
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { nodesError } from "../errors.ts";
import { decodePublicKey, decodeSeed, encodePublicKey, encodeSeed } from "./nkey.ts";

/**
 * Identifies a host or node by an Ed25519 key in NATS format.
 *
 * @example
 * ```ts
 * import { openIdentity, type Identity } from "@haft/nodes";
 * const identity: Identity = openIdentity("/var/lib/node");
 * const signature = identity.sign("backup", Buffer.from("2026-11-30"));
 * ```
 */
export interface Identity {
  /** Contains the public key (`U…`, 56 characters): the id for others. */
  readonly id: string;
  /** Contains the secret key (`SU…`), also for the NATS server. Never show it. */
  readonly seed: string;
  /** Signs the parts in order. @param domain kind of the data; the signature is invalid elsewhere */
  sign(domain: string, ...parts: readonly Uint8Array[]): Buffer;
}

const PRIVATE = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC = Buffer.from("302a300506032b6570032100", "hex");
const FILE = "identity.nk";

/**
 * Creates an identity, or that of a seed.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts run
 * import { createIdentity } from "@haft/nodes";
 * const identity = createIdentity();
 * createIdentity(identity.seed).id === identity.id; // => true
 * ```
 */
export function createIdentity(seed?: string): Identity {
  const bytes = seed === undefined ? randomBytes(32) : decodeSeed(seed);
  if (bytes === undefined) throw nodesError("NODE_OPTIONS_INVALID", "The seed of an nkey (SU…) is invalid.");
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE, bytes]), format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    id: encodePublicKey(spki.subarray(PUBLIC.length)),
    seed: encodeSeed(bytes),
    sign: (domain, ...parts) => sign(null, signedBytes(domain, parts), key),
  };
}

/**
 * Opens or creates the identity in a folder (`identity.nk`). Only its owner may access it.
 *
 * @throws HaftError `STATE_FOLDER_FAILED`, `NODE_OPTIONS_INVALID`
 *
 * @example
 * ```ts run
 * import { openIdentity } from "@haft/nodes";
 * import { mkdtempSync } from "node:fs";
 * const folder = mkdtempSync("node-");
 * openIdentity(folder).id === openIdentity(folder).id; // => true
 * ```
 */
export function openIdentity(path: string): Identity {
  const folder = new PrivateFolder(path, "name another folder for the keys");
  folder.make();
  const stored = folder.read(FILE);
  if (stored !== undefined) return createIdentity(stored.text.trim());
  const made = createIdentity();
  // Another process may be faster.
  return folder.create(FILE, `${made.seed}\n`) ? made : createIdentity(folder.read(FILE)?.text.trim());
}

export function isSignedBy(
  id: string,
  signature: Uint8Array,
  domain: string,
  ...parts: readonly Uint8Array[]
): boolean {
  const key = publicKey(id);
  return (
    key !== undefined && signature.length === 64 && verify(null, signedBytes(domain, parts), key, signature)
  );
}

const keys = new Map<string, KeyObject>();
const MAX_KEYS = 1_000;

function publicKey(id: string): KeyObject | undefined {
  const known = keys.get(id);
  if (known !== undefined) return known;
  const bytes = decodePublicKey(id);
  if (bytes === undefined) return undefined;
  const key = createPublicKey({ key: Buffer.concat([PUBLIC, bytes]), format: "der", type: "spki" });
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(id, key);
  return key;
}

/** Starts with a byte outside texts, because a NATS server chooses texts for the same key. Lengths separate the parts. */
function signedBytes(domain: string, parts: readonly Uint8Array[]): Buffer {
  const all = [Buffer.from(domain), ...parts].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    return [length, part];
  });
  return Buffer.concat([Buffer.of(0xff), ...all]);
}
