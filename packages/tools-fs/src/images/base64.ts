import { setImmediate as nextTurn } from "node:timers/promises";

/** Encoded before other work gets its turn (about 3 ms); a multiple of three, so that the pieces join. */
const STEP = 12 * 1024 * 1024;

/** Base64 of any number of bytes, in turns. */
export async function toBase64(bytes: Uint8Array): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = buffer.toString("base64", 0, STEP);
  for (let at = STEP; at < buffer.length; at += STEP) {
    await nextTurn();
    text += buffer.toString("base64", at, at + STEP);
  }
  return text;
}

/** Length of `bytes` bytes in base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
