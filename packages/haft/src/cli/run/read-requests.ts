import type { Readable } from "node:stream";
import { parseRequest, type Request } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";

/** Characters a value over several lines may have. */
const LONGEST = 32_000_000;

/**
 * Requests from a stream, one for each line. A line that is just `{` or `[` begins a value over
 * several lines (a pretty-printed message), which ends with its bracket at the same indentation, or
 * is given up when a whole request stands on a line of its own.
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
    return {
      kind: "broken",
      message: `not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
  }
}

function isWholeRequest(text: string): boolean {
  try {
    return parseRequest(JSON.parse(text)).kind !== "broken";
  } catch {
    return false;
  }
}
