import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parseRequest, type Request } from "./parse-line.ts";

/** Characters a value over several lines may have. */
const LONGEST = 32_000_000;

/**
 * Requests from a stream, one for each line. A line that is just `{` or `[` begins a value over
 * several lines (a pretty-printed message), which ends when its brackets are closed, or is given
 * up when a whole request stands on a line of its own.
 */
export async function* readRequests(input: Readable): AsyncGenerator<Request> {
  let collected: string[] = [];
  let size = 0;
  const giveUp = (): Request => {
    collected = [];
    size = 0;
    return { kind: "broken", message: "a value over several lines was never closed." };
  };
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const trimmed = line.trim();
    if (collected.length === 0) {
      if (trimmed === "") continue;
      if (trimmed === "{" || trimmed === "[") collected.push(line);
      else yield parseText(trimmed);
      continue;
    }
    if (line.startsWith("{") && line !== "{" && isWholeRequest(line)) {
      yield giveUp();
      yield parseText(trimmed);
      continue;
    }
    collected.push(line);
    size += line.length;
    if (size > LONGEST) yield giveUp();
    // Pretty printers close what they opened at the start of a line.
    if (line.startsWith("}") || line.startsWith("]")) {
      const value = collected.join("\n");
      collected = [];
      size = 0;
      yield parseText(value);
    }
  }
  if (collected.length > 0) yield giveUp();
}

function parseText(text: string): Request {
  try {
    return parseRequest(JSON.parse(text));
  } catch (thrown) {
    return {
      kind: "broken",
      message: `not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
  }
}

function isWholeRequest(line: string): boolean {
  try {
    return parseRequest(JSON.parse(line)).kind !== "broken";
  } catch {
    return false;
  }
}
