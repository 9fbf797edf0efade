import { isUtf8 } from "node:buffer";
import { detectContentKind, guessBytes } from "./encoding.ts";

export type Encoding = "utf-16le" | "utf-16be" | "windows-1252";

export interface DetectedEncoding {
  encoding: Encoding;
  guessed: boolean;
}

export interface DecodedFile extends DetectedEncoding {
  text: Buffer;
  /** The text has U+FFFD for damaged characters, so it cannot be encoded again. */
  damaged?: true;
}

/** Decoding needs the whole file. */
export const MAX_DECODED_BYTES = 32 * 1024 * 1024;

/** Returns UTF-8, if the conversion from another encoding is reversible. */
export function decodeFile(bytes: Buffer): DecodedFile | undefined {
  if (bytes.length > MAX_DECODED_BYTES) return undefined;
  const detected = detect(bytes);
  const text = detected && decode(bytes, detected.encoding);
  return text && { ...detected, text };
}

/** As {@link decodeFile}, but also decodes UTF-16 with damaged characters. */
export function decodeForReading(bytes: Buffer): DecodedFile | undefined {
  const decoded = decodeFile(bytes);
  if (decoded !== undefined || bytes.length > MAX_DECODED_BYTES) return decoded;
  const detected = detect(bytes);
  if (detected === undefined || detected.encoding === "windows-1252") return undefined;
  const whole = bytes.subarray(0, bytes.length & ~1);
  const text =
    decodeUtf16(whole, detected.encoding).toWellFormed() + (whole.length < bytes.length ? "\ufffd" : "");
  return { ...detected, text: Buffer.from(text), damaged: true };
}

function detect(bytes: Buffer): DetectedEncoding | undefined {
  const content = detectContentKind(bytes);
  if (content.kind === "encoded") {
    const { encoding } = content;
    const marked = (bytes[0] ?? 0) >= 0xfe;
    return encoding === "utf-16le" || encoding === "utf-16be" ? { encoding, guessed: !marked } : undefined;
  }
  if (content.kind !== "text" || isUtf8(bytes) || !isSingleByte(bytes)) return undefined;
  return { encoding: "windows-1252", guessed: true };
}

/** Requires no zero bytes, hardly a control character, no damaged UTF-8. */
export function isSingleByte(bytes: Buffer): boolean {
  if (bytes.includes(0) || guessBytes(bytes) === "binary") return false;
  let alone = 0;
  let inSequence = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte < 0x80) continue;
    if (UNUSED.includes(byte)) return false;
    const rest = sequenceAt(bytes, at);
    if (rest > 0) inSequence += 1;
    else alone += 1;
    at += rest;
  }
  return alone > 0 && inSequence * 4 <= alone;
}

function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  const wanted = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  const rest = bytes.subarray(at + 1, at + 1 + wanted);
  const isWhole = rest.length === wanted || (rest.length > 0 && at + 1 + rest.length === bytes.length);
  return isWhole && rest.every((byte) => (byte & 0xc0) === 0x80) ? rest.length : 0;
}

/** Windows-1252 from 0x80 to 0x9f. Its five gaps map to control characters. */
const HIGH = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
const UNUSED: readonly number[] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
const FROM_HIGH = new Map(Array.from(HIGH, (character, index) => [character, 0x80 + index]));

export function decode(bytes: Buffer, encoding: Encoding): Buffer | undefined {
  const text = decodeString(bytes, encoding);
  return text === undefined ? undefined : Buffer.from(text);
}

function decodeString(bytes: Buffer, encoding: Encoding): string | undefined {
  if (encoding === "windows-1252")
    return bytes
      .toString("latin1")
      .replaceAll(/[\x80-\x9f]/g, (character) => HIGH[character.charCodeAt(0) - 0x80]!);
  if (bytes.length % 2 === 1) return undefined;
  const text = decodeUtf16(bytes, encoding);
  return text.isWellFormed() ? text : undefined;
}

function decodeUtf16(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): string {
  return (encoding === "utf-16be" ? Buffer.from(bytes).swap16() : bytes).toString("utf16le");
}

/** Returns the first character that the encoding lacks, if any. */
export function encode(utf8: Buffer, encoding: Encoding): { bytes: Buffer } | { lacking: string } {
  const text = utf8.toString();
  if (encoding !== "windows-1252") {
    const bytes = Buffer.from(text, "utf16le");
    return { bytes: encoding === "utf-16be" ? bytes.swap16() : bytes };
  }
  // oxlint-disable-next-line no-control-regex
  const lacking = /[^\x00-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|[\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]/u.exec(text);
  if (lacking !== null) return { lacking: lacking[0] };
  const single = text.replaceAll(/[\u0100-\uffff]/g, (character) =>
    String.fromCharCode(FROM_HIGH.get(character)!),
  );
  return { bytes: Buffer.from(single, "latin1") };
}

export function encodingName(encoding: Encoding): string {
  return encoding === "windows-1252" ? "Windows-1252" : encoding.toUpperCase();
}
