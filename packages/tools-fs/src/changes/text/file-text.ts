import type { HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { findInvalidByte, isMostlyText } from "../../content/encoding.ts";
import { fileToolError } from "../../errors.ts";
import { CR, LF, sharedScanner } from "../../lines/scanner.ts";

/**
 * Accepts text with single bytes that are not UTF-8.
 *
 * @throws `UNSUPPORTED_ENCODING` for text in another encoding, `BINARY_FILE` for binary content
 */
export function requireFileText(path: string, bytes: Buffer): void {
  if (isMostlyText(bytes)) return;
  const encoding = guessEncoding(bytes);
  if (encoding === undefined && bytes.includes(0)) {
    throw fileToolError("BINARY_FILE", `${path} is binary, so it cannot be changed as text.`, {
      fix: "Use a program that knows this format, or replace the whole file with write.",
      receipt: "none",
      details: { path },
    });
  }
  const offset = findInvalidByte(bytes);
  const line = countLineFeeds(bytes, 0, offset) + 1;
  throw fileToolError(
    "UNSUPPORTED_ENCODING",
    `${path} is not valid UTF-8 (${encoding ?? "another encoding"}; first bad byte at offset ${offset}, line ${line}). ` +
      "It was not changed, because changing it as UTF-8 would damage its other characters.",
    {
      fix: "Convert the file to UTF-8 first, or change it with a program that knows its encoding.",
      receipt: "none",
      details: withoutUndefined({ path, offset, line, encoding }),
    },
  );
}

/** For an old text with marks: only the bytes of the file are known, not which of them a mark stands for. */
export function invalidBytesError(path: string, what: string): HaftError {
  const message = `${what} contains \ufffd, which stands for a byte of ${path} that is not UTF-8. Nothing was changed.`;
  return fileToolError("INVALID_TEXT", message, {
    fix: "Choose text beside these bytes; an edit keeps them. To change the bytes themselves, use a command.",
    receipt: "none",
    details: { path },
  });
}

/**
 * Half a surrogate pair would become U+FFFD.
 *
 * @throws `INVALID_TEXT`
 */
export function requireWellFormed(what: string, value: string): void {
  if (value.isWellFormed()) return;
  throw fileToolError("INVALID_TEXT", `${what} contains half a surrogate pair, which cannot be written.`, {
    fix: "Send the complete character.",
  });
}

const SCAN_FROM = 2 * 1024;
const SCAN_BYTES = 128 * 1024;

export function countLineFeeds(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  if (to - from < SCAN_FROM) {
    for (let at = from; at < to; at += 1) if (bytes[at] === LF) count += 1;
    return count;
  }
  const scanner = sharedScanner();
  for (let at = from; at < to; at += SCAN_BYTES) {
    const end = Math.min(to, at + SCAN_BYTES);
    scanner.buffer.set(bytes.subarray(at, end));
    count += scanner.count(0, end - at);
  }
  return count;
}

export type LineEnding = "\n" | "\r\n" | "\r";

export function endingAfter(bytes: Buffer, at: number): LineEnding | undefined {
  const lf = bytes.indexOf(LF, at);
  if (lf > at && bytes[lf - 1] === CR) return "\r\n";
  if (lf >= 0) return "\n";
  return bytes.indexOf(CR, at) >= 0 ? "\r" : undefined;
}

export function endingBefore(bytes: Buffer, at: number): LineEnding | undefined {
  if (at <= 0) return undefined;
  const lf = bytes.lastIndexOf(LF, at - 1);
  if (lf < 0) return bytes.lastIndexOf(CR, at - 1) >= 0 ? "\r" : undefined;
  return lf > 0 && bytes[lf - 1] === CR ? "\r\n" : "\n";
}

export function endingsWithin(bytes: Buffer, from: number, to: number, limit: number): LineEnding[] {
  const endings: LineEnding[] = [];
  for (let at = from; at < to && endings.length < limit; at += 1) {
    if (bytes[at] === LF) endings.push("\n");
    else if (bytes[at] === CR) {
      const pair = bytes[at + 1] === LF;
      endings.push(pair ? "\r\n" : "\r");
      if (pair) at += 1;
    }
  }
  return endings;
}

function guessEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "UTF-16 LE";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "UTF-16 BE";
  return bytes.includes(0) ? undefined : "perhaps Windows-1252 or Latin-1";
}
