import { text, type ToolResult } from "@haft/plugin-sdk";
import { decodeText } from "./decode-text.ts";
import { webError } from "./errors.ts";
import { framed } from "./framed.ts";
import type { PageDetails } from "./page-details.ts";

/** Bytes of a page that are read, unpacked. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Characters of an address in an error. */
const LONGEST_SHOWN = 300;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|javascript|ecmascript|toml|x-ndjson|x-yaml|x-sh|rtf))$/;

/** @throws HaftError `PAGE_NOT_FOUND`, `PAGE_TYPE`, and what reading throws */
export async function readPage(
  response: Response,
  { offset, limit, whole }: { offset: number; limit: number; whole: boolean },
): Promise<ToolResult<PageDetails>> {
  const { url, status, headers } = response;
  if (!response.ok) {
    await response.body?.cancel();
    // Not in the words of the server: an error has no marks around them.
    throw webError("PAGE_NOT_FOUND", `${shown(url)} was answered with ${status}.`, {
      details: { url, status },
    });
  }
  const header = headers.get("content-type") ?? "";
  const contentType = header.split(";", 1)[0]!.trim().toLowerCase();
  if (contentType !== "" && !HTML.test(contentType) && !TEXT.test(contentType)) {
    await response.body?.cancel();
    throw noText(url, contentType);
  }
  const coding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (coding !== "" && coding !== "identity") {
    await response.body?.cancel();
    throw noText(url, `packed as ${coding}`);
  }
  const { bytes, isCut } = await readBytes(response);
  const isHtml =
    HTML.test(contentType) || (contentType === "" && /^\s*<(?:!doctype html|html)/i.test(ascii(bytes)));
  if (contentType === "" && bytes.includes(0)) throw noText(url, "of no type that it says, and not text");
  const source = decodeText(bytes, header, isHtml);
  const page = isHtml
    ? (await import("./markdown/html-to-markdown.ts")).htmlToMarkdown(source, url, whole)
    : { text: source };
  return answerOf(page, { url, contentType, offset, limit, ...(isCut && { cutAfterBytes: MOST_BYTES }) });
}

function answerOf(
  { text: all, ...known }: { text: string; title?: string; isCut?: true },
  {
    limit,
    offset: wanted,
    ...page
  }: Pick<PageDetails, "url" | "contentType" | "offset" | "cutAfterBytes"> & { limit: number },
): ToolResult<PageDetails> {
  const offset = Math.min(wanted, all.length);
  const end = endOf(all, Math.min(all.length, offset + limit));
  const details: PageDetails = {
    ...page,
    ...known,
    characters: all.length,
    offset,
    ...(end < all.length && { next: end }),
  };
  return { content: [text(framed(all.slice(offset, end), details))], details };
}

/** Not within a character that takes two places. */
function endOf(all: string, end: number): number {
  const code = all.charCodeAt(end - 1);
  return end < all.length && code >= 0xd800 && code <= 0xdbff ? end + 1 : end;
}

async function readBytes(response: Response): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop gives up the rest.
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (size > MOST_BYTES) break;
  }
  return { bytes: Buffer.concat(parts).subarray(0, MOST_BYTES), isCut: size > MOST_BYTES };
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 512));
}

function noText(url: string, contentType: string): Error {
  const type = /^[\w./+, -]{1,100}$/.test(contentType) ? contentType : "of an unknown type";
  return webError("PAGE_TYPE", `${shown(url)} is ${type}, which is no text.`, {
    details: { url, contentType },
  });
}

function shown(url: string): string {
  return url.length > LONGEST_SHOWN ? `${url.slice(0, LONGEST_SHOWN)}…` : url;
}
