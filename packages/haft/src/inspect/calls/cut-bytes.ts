import type { TextPage } from "@haft/inspector";

/** A piece of a text by the bytes of its UTF-8, cut between characters. */
export function cutBytes(
  whole: Uint8Array,
  from: number,
  max: number,
): Pick<TextPage, "text" | "from" | "next" | "total"> {
  const total = whole.length;
  const start = Math.min(back(whole, from), total);
  const end = start + max >= total ? total : back(whole, start + max);
  // A character that is longer than what was asked for is handed out whole: else nobody gets past it.
  const next = end > start ? end : forward(whole, start + 1);
  return { text: Buffer.from(whole.subarray(start, next)).toString("utf8"), from: start, next, total };
}

const isInside = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the character begins that a byte belongs to. What is no UTF-8 has characters of at most four bytes all the same. */
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
