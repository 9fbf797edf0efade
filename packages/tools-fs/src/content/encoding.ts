import { isUtf8 } from "node:buffer";
import { fileType, type FileType } from "./file-type.ts";

export type ContentKind =
  | { kind: "text"; bom: boolean }
  | { kind: "encoded"; encoding: "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be" }
  | { kind: "typed"; type: FileType }
  | { kind: "binary" };

const SAMPLE = 8192;

/** Classifies a file by its beginning. Text may contain invalid UTF-8 later. */
export function detectContentKind(bytes: Buffer): ContentKind {
  const sample = bytes.length > SAMPLE ? bytes.subarray(0, SAMPLE) : bytes;
  const first = sample[0];
  if (bomLength(sample) > 0) return { kind: "text", bom: true };
  const marked = first === 0xff || first === 0xfe || first === 0 ? byteOrderMark(sample) : undefined;
  if (marked !== undefined) return { kind: "encoded", encoding: marked };
  const zero = sample.includes(0);
  if (!zero && first !== undefined && first < 0x80 && !couldBeNamed(first))
    return { kind: "text", bom: false };
  const type = fileType(sample);
  // A two-letter signature does not outweigh plausible text.
  if (type !== undefined && (zero || isWholePdf(type, sample) || !plausibleText(sample))) {
    return { kind: "typed", type };
  }
  if (!zero) return { kind: "text", bom: false };
  const encoding = sixteenBit(sample);
  return encoding === undefined ? { kind: "binary" } : { kind: "encoded", encoding };
}

/** Returns 0 or 3. */
export function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const UTF_16_MARK = /^(?:\xff\xfe|\xfe\xff)/;

/**
 * Returns whether the bytes are text in UTF-8, or almost: single bytes may be invalid. Bytes are the truth, and decoding is a view. Invalid
 * bytes appear as U+FFFD, are searched as bytes, and stay when the text beside them changes.
 */
export function isMostlyText(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true;
  const sample = bytes.subarray(0, SAMPLE);
  return (
    !bytes.includes(0) &&
    !UTF_16_MARK.test(sample.toString("latin1", 0, 2)) &&
    guessBytes(sample) !== "binary"
  );
}

/** Marks an invalid byte in decoded text. */
export const REPLACEMENT = "\ufffd";

/** Returns whether the text has marks that stand for invalid bytes of the file, and not for U+FFFD in it. */
export function hasMarks(text: string, bytes: Buffer): boolean {
  return text.includes(REPLACEMENT) && !isUtf8(bytes) && !bytes.includes(text);
}

export function guessBytes(bytes: Buffer): "latin-1" | "binary" {
  let controls = 0;
  for (const byte of bytes)
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 && byte !== 27) controls += 1;
  return controls * 100 > bytes.length ? "binary" : "latin-1";
}

/** Returns the index of the first invalid byte, or `bytes.length`. Bisects with the fast native check. */
export function findInvalidByte(bytes: Uint8Array): number {
  let valid = 0;
  for (let step = bytes.length; step > 4 && valid < bytes.length;) {
    const end = Math.min(bytes.length, valid + step);
    const whole = end === bytes.length ? end : characterStart(bytes, end);
    if (isUtf8(bytes.subarray(valid, whole))) valid = whole;
    else step = Math.floor(step / 2);
  }
  for (;;) {
    const rest = bytes.subarray(valid, valid + 4);
    const size = [1, 2, 3, 4].find((most) => most <= rest.length && isUtf8(rest.subarray(0, most)));
    if (size === undefined) return valid;
    valid += size;
  }
}

export function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > at - 4 && start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

function couldBeNamed(first: number): boolean {
  // First letters of the printable signatures: % P B 7 R M G I 8 O f w S (
  return "%PB7RMGI8OfwS(".includes(String.fromCharCode(first));
}

/** A PDF can be text as well. A text about PDF has no objects. */
function isWholePdf({ mimeType }: FileType, sample: Buffer): boolean {
  return mimeType === "application/pdf" && /\d obj\b|%%EOF/.test(sample.toString("latin1"));
}

function plausibleText(sample: Buffer): boolean {
  return (
    isUtf8(sample.subarray(0, characterStart(sample, sample.length - 1))) && guessBytes(sample) !== "binary"
  );
}

function byteOrderMark(b: Buffer): "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be" | undefined {
  if (b[0] === 0xff && b[1] === 0xfe)
    return b[2] === 0 && b[3] === 0 && b.length >= 4 ? "utf-32le" : "utf-16le";
  if (b[0] === 0xfe && b[1] === 0xff) return "utf-16be";
  if (b[0] === 0 && b[1] === 0 && b[2] === 0xfe && b[3] === 0xff) return "utf-32be";
  return undefined;
}

/** Detects UTF-16 without a mark: in mostly Western text every other byte is zero. */
function sixteenBit(sample: Buffer): "utf-16le" | "utf-16be" | undefined {
  let even = 0;
  let odd = 0;
  for (let i = 0; i + 1 < sample.length; i += 2) {
    if (sample[i] === 0) even += 1;
    if (sample[i + 1] === 0) odd += 1;
  }
  const pairs = sample.length >> 1;
  if (odd > pairs * 0.7 && even < pairs * 0.05) return "utf-16le";
  if (even > pairs * 0.7 && odd < pairs * 0.05) return "utf-16be";
  return undefined;
}
