import { PrivateFolder } from "@haft/workspace/internal/system";
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { nodesError } from "../errors.ts";
import { decodePublicKey, decodeSeed, encodePublicKey, encodeSeed } from "./nkey.ts";

/** Who a host or a node is: an Ed25519 key, written as NATS writes those of users. */
export interface Identity {
  /** The public key (`U…`, 56 characters): the id that others know it by. */
  readonly id: string;
  /** The secret one (`SU…`). For the server of NATS as well; shown to nobody. */
  readonly seed: string;
  /** Signs the parts, in their order. @param domain what it is that is signed, so that it means nothing elsewhere */
  sign(domain: string, ...parts: readonly Uint8Array[]): Buffer;
}

/** Beginnings of keys as DER has them. */
const PRIVATE = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC = Buffer.from("302a300506032b6570032100", "hex");
const FILE = "identity.nk";

/** A new one, or that of a seed. @throws HaftError `NODE_OPTIONS_INVALID` for what is no seed of a user */
export function createIdentity(seed?: string): Identity {
  const bytes = seed === undefined ? randomBytes(32) : decodeSeed(seed);
  if (bytes === undefined)
    throw nodesError("NODE_OPTIONS_INVALID", "What should be the seed of an nkey of a user (SU…) is none.");
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE, bytes]), format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    id: encodePublicKey(spki.subarray(PUBLIC.length)),
    seed: encodeSeed(bytes),
    sign: (domain, ...parts) => sign(null, signedBytes(domain, parts), key),
  };
}

/**
 * The identity that a folder holds (`identity.nk`), made with it at the first time. The folder is its owner's alone.
 *
 * @throws HaftError `STATE_FOLDER_FAILED`, `NODE_OPTIONS_INVALID`
 */
export function openIdentity(path: string): Identity {
  const folder = new PrivateFolder(path, "name another folder for the keys");
  folder.make();
  const kept = folder.read(FILE);
  if (kept !== undefined) return createIdentity(kept.text.trim());
  const made = createIdentity();
  // Another process may have been first.
  return folder.create(FILE, `${made.seed}\n`) ? made : createIdentity(folder.read(FILE)?.text.trim());
}

/** Whether this id signed it. Never throws. */
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

/**
 * Begins with a byte that no text has: a server lets clients sign a text of its choice with the same key, and must not be
 * able to choose one of these. Each part follows its length.
 */
function signedBytes(domain: string, parts: readonly Uint8Array[]): Buffer {
  const all = [Buffer.from(domain), ...parts].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(part.length);
    return [length, part];
  });
  return Buffer.concat([Buffer.of(0xff), ...all]);
}
