/** NATS nkeys: an Ed25519 user key in base 32 with a checksum. */
const USER = 20 << 3;
const SEED = 18 << 3;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** `U…`, 56 characters. @param key 32 bytes */
export function encodePublicKey(key: Uint8Array): string {
  return withChecksum(Buffer.concat([Buffer.of(USER), key]));
}

export function decodePublicKey(text: string): Buffer | undefined {
  const bytes = withoutChecksum(text, 56);
  return bytes?.[0] === USER ? bytes.subarray(1) : undefined;
}

export function isUserKey(text: string): boolean {
  return decodePublicKey(text) !== undefined;
}

/** `SU…`, 58 characters. @param seed 32 bytes */
export function encodeSeed(seed: Uint8Array): string {
  return withChecksum(Buffer.concat([Buffer.of(SEED | (USER >> 5), (USER & 31) << 3), seed]));
}

export function decodeSeed(text: string): Buffer | undefined {
  const bytes = withoutChecksum(text, 58);
  if (bytes?.[0] !== (SEED | (USER >> 5)) || bytes[1] !== (USER & 31) << 3) return undefined;
  return bytes.subarray(2);
}

function withChecksum(bytes: Buffer): string {
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(bytes));
  return base32(Buffer.concat([bytes, checksum]));
}

function withoutChecksum(text: string, length: number): Buffer | undefined {
  if (text.length !== length || /[^A-Z2-7]/.test(text)) return undefined;
  const all = fromBase32(text);
  const bytes = all.subarray(0, -2);
  // This rejects unused bits.
  return all.readUInt16LE(bytes.length) === crc16(bytes) && base32(all) === text ? bytes : undefined;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc;
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= 0xff;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (const character of text) {
    value = ((value << 5) | ALPHABET.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 0xff);
  }
  return Buffer.from(bytes);
}
