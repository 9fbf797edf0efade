import type { Readable } from "node:stream";

/** Bytes of one line; more cannot be one request. */
const LONGEST = 64 * 1024 * 1024;
const LF = 10;

/** One line of input, or why there is none to read. */
export type InputLine = { text: string } | { problem: string };

/**
 * Lines of a stream of bytes. Only a line feed ends a line (U+2028 may stand in JSON as it is), and
 * bytes that are not UTF-8 are a problem of their line, not replaced.
 */
export async function* readLines(input: Readable): AsyncGenerator<InputLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (): InputLine => {
    const bytes = Buffer.concat(parts);
    const tooLong = size > LONGEST;
    parts = [];
    size = 0;
    return tooLong ? { problem: `a line has at most ${LONGEST / 1024 / 1024} MiB.` } : decode(bytes);
  };
  for await (const chunk of input) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      size += end - start;
      if (size <= LONGEST) parts.push(bytes.subarray(start, end));
      yield take();
      start = end + 1;
    }
    size += bytes.length - start;
    // What is too long is counted and dropped: it will be refused, and need not be kept for that.
    if (size <= LONGEST) parts.push(bytes.subarray(start));
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
