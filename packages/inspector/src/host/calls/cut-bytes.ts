import { isUtf8 } from "node:buffer";
import type { TextPage } from "../../wire/api.ts";

export function cutBytes(
  whole: Uint8Array,
  from: number,
  max: number,
): Pick<TextPage, "text" | "from" | "next" | "total"> {
  const total = whole.length;
  const start = Math.min(back(whole, from), total);
  const end = start + max >= total ? total : back(whole, start + max);
  // A longer character is returned whole, to progress.
  const next = end > start ? end : forward(whole, start + 1);
  return { text: Buffer.from(whole.subarray(start, next)).toString("utf8"), from: start, next, total };
}

const isInside = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Finds a character's start; invalid UTF-8 counts as at most four bytes. */
function back(bytes: Uint8Array, at: number): number {
  let start = Math.min(at, bytes.length);
  for (let steps = 0; steps < 3 && start > 0 && isInside(bytes[start]); steps++) start--;
  return start;
}

function forward(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let steps = 0; steps < 3 && isInside(bytes[end]); steps++) end++;
  return Math.min(end, bytes.length);
}

/** A UTF-8 character, or one byte. */
const BYTES =
  /([\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})|[\x80-\xff]/g;

export function decodeSameLength(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const known = bytes.toString("latin1").replaceAll(BYTES, (_found, character?: string) => character ?? "?");
  return Buffer.from(known, "latin1").toString("utf8");
}
