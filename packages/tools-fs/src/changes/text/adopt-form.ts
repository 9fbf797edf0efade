import { bomLength } from "../../content/encoding.ts";
import { CR, LF } from "../../lines/scanner.ts";

/** How the lines of written content end: as in the file it replaces, or as asked. */
export type LineEndings = "keep" | "lf" | "crlf";

/** What of a file outlives its content, invisibly to who reads it as text. */
export type KeptForm = "crlf" | "bom";

export interface AdoptedForm {
  bytes: Buffer;
  /** What was added to the content because the file had it. */
  kept: readonly KeptForm[];
}

/**
 * The bytes of new content for a file that exists. Its byte order mark stays, and where all its lines end
 * in CRLF, bare line feeds become CRLF too: neither is visible to who reads the file as text, so
 * neither may get lost by writing it back. Content that has a mark or any CR of its own is taken as it is.
 */
export function adoptForm(content: string, before: Buffer, lineEndings: LineEndings): AdoptedForm {
  const kept: KeptForm[] = [];
  let text = withLineEndings(content, lineEndings);
  if (
    lineEndings === "keep" &&
    content.includes("\n") &&
    !content.includes("\r") &&
    everyLineEndsInCrlf(before)
  ) {
    text = content.replaceAll("\n", "\r\n");
    kept.push("crlf");
  }
  const bytes = Buffer.from(text);
  const bom = bomLength(before);
  if (bom === 0 || bytes.length === 0 || bomLength(bytes) > 0) return { bytes, kept };
  return { bytes: Buffer.concat([before.subarray(0, bom), bytes]), kept: [...kept, "bom"] };
}

/** Content with all its line breaks of one kind; as it is for `keep`. */
export function withLineEndings(content: string, lineEndings: LineEndings): string {
  if (lineEndings === "keep") return content;
  return content.replace(/\r\n|\r|\n/g, lineEndings === "lf" ? "\n" : "\r\n");
}

/** For messages: `CRLF line ends and byte order mark`. */
export function describeKept(kept: readonly KeptForm[]): string {
  return kept.map((form) => (form === "crlf" ? "CRLF line ends" : "byte order mark")).join(" and ");
}

function everyLineEndsInCrlf(bytes: Buffer): boolean {
  let at = bytes.indexOf(LF);
  if (at < 0) return false;
  for (; at >= 0; at = bytes.indexOf(LF, at + 1)) if (bytes[at - 1] !== CR) return false;
  return true;
}
