import { CR, LF, bomLength } from "./file-text.ts";

/**
 * The bytes of new content for a file that exists: its byte order mark stays, and where all its
 * lines end in CRLF, bare line feeds become CRLF too. Neither is visible to who reads the file as
 * text, so neither may get lost by writing it back. Content with CRLF of its own is taken as it is.
 */
export function adoptForm(content: string, before: Buffer): Buffer {
  const wantsCrlf = content.includes("\n") && !content.includes("\r\n") && everyLineEndsInCrlf(before);
  const bytes = Buffer.from(wantsCrlf ? content.replaceAll("\n", "\r\n") : content);
  const bom = bomLength(before);
  if (bom === 0 || bytes.length === 0 || bomLength(bytes) > 0) return bytes;
  return Buffer.concat([before.subarray(0, bom), bytes]);
}

function everyLineEndsInCrlf(bytes: Buffer): boolean {
  let at = bytes.indexOf(LF);
  if (at < 0) return false;
  for (; at >= 0; at = bytes.indexOf(LF, at + 1)) if (bytes[at - 1] !== CR) return false;
  return true;
}
