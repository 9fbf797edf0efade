import { getErrorMessage } from "@haft/core";
import type { Readable } from "node:stream";
import { parseRequest, type Request } from "./parse-line.ts";

/** In characters. */
const LONGEST = 32_000_000;

/**
 * Reads one request per line, or a value after a line of only `{` or `[`. Its bracket at the same indentation
 * ends the value. A later complete request discards it.
 */
export async function* readRequests(input: Readable): AsyncGenerator<Request> {
  let open: { lines: string[]; size: number; end: string } | undefined;
  for await (const line of readLines(input)) {
    if ("problem" in line) {
      open = undefined;
      yield { kind: "broken", message: line.problem };
      continue;
    }
    const { text } = line;
    const trimmed = text.trim();
    if (!open) {
      if (trimmed === "{" || trimmed === "[") {
        const indentation = text.slice(0, text.indexOf(trimmed));
        open = { lines: [text], size: 0, end: `${indentation}${trimmed === "{" ? "}" : "]"}` };
      } else if (trimmed !== "") {
        yield parseText(trimmed);
      }
      continue;
    }
    if (text.startsWith("{") && trimmed !== "{" && isWholeRequest(trimmed)) {
      open = undefined;
      yield NEVER_CLOSED;
      yield parseText(trimmed);
      continue;
    }
    open.lines.push(text);
    open.size += text.length;
    if (text.startsWith(open.end)) {
      const value = open.lines.join("\n");
      open = undefined;
      yield parseText(value);
    } else if (open.size > LONGEST) {
      open = undefined;
      yield NEVER_CLOSED;
    }
  }
  if (open) yield NEVER_CLOSED;
}

const NEVER_CLOSED: Request = { kind: "broken", message: "a value over several lines was never closed." };

function parseText(text: string): Request {
  try {
    return parseRequest(JSON.parse(text));
  } catch (thrown) {
    return { kind: "broken", message: `not JSON: ${getErrorMessage(thrown)}` };
  }
}

function isWholeRequest(text: string): boolean {
  return parseText(text).kind !== "broken";
}

/** In bytes. */
const LONGEST_LINE = 64 * 1024 * 1024;
const LF = 10;

type InputLine = { text: string } | { problem: string };

/** Only a line feed ends a line, because JSON may contain U+2028. Invalid UTF-8 invalidates its line. */
async function* readLines(input: Readable): AsyncGenerator<InputLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (): InputLine => {
    const bytes = Buffer.concat(parts);
    const tooLong = size > LONGEST_LINE;
    parts = [];
    size = 0;
    return tooLong ? { problem: `a line has at most ${LONGEST_LINE / 1024 / 1024} MiB.` } : decode(bytes);
  };
  for await (const chunk of input) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      size += end - start;
      if (size <= LONGEST_LINE) parts.push(bytes.subarray(start, end));
      yield take();
      start = end + 1;
    }
    size += bytes.length - start;
    // Drops bytes of an oversized line.
    if (size <= LONGEST_LINE) parts.push(bytes.subarray(start));
    else parts = [];
  }
  if (size > 0) yield take();
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Buffer): InputLine {
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { problem: "the line is not UTF-8." };
  }
}
