import { visible } from "./visible.ts";

/** Bytes in which a page says how it is encoded. */
const LOOKED_AT = 1024;
const BYTE_ORDER_MARKS: readonly (readonly [string, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
];

/** Bytes as text, by what they begin with, the header, the page itself, else as UTF-8. */
export function decodeText(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const labels = [marked, charsetOf(contentType), isHtml ? declaredIn(bytes) : undefined];
  const decoder = labels.map(decoderOf).find((one) => one !== undefined) ?? new TextDecoder();
  return visible(decoder.decode(bytes).replaceAll(/\r\n?/g, "\n"));
}

function charsetOf(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1];
}

/** `<meta charset>`, or the same as a header. What says UTF-16 there can be read as ASCII, so it is not. */
function declaredIn(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, LOOKED_AT));
  const declared = [...head.matchAll(/<meta\b[^>]*>/gi)]
    .map(([tag]) => charsetOf(tag))
    .find((charset) => charset !== undefined);
  return declared === undefined || /^utf-?16/i.test(declared) ? undefined : declared;
}

function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    // One that nobody knows says nothing.
    return undefined;
  }
}
