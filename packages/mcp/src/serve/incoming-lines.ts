import { Transform, type TransformCallback } from "node:stream";
import { MessageLines, readId } from "../message-lines.ts";

/** Bytes of a message that are taken, with the end of its line. */
export const MOST_OF_LINE = 10 * 1024 * 1024;

/** What is known of a message that was too long. */
export interface LongLine {
  bytes: number;
  /** Of a request, where it stands before or behind all that is long. */
  id: string | number | undefined;
}

/** Hands lines on, each whole, and leaves out those that are longer than what reads them takes. */
export class IncomingLines extends Transform {
  readonly #lines = new MessageLines(MOST_OF_LINE - 1);
  readonly #tooLong: (line: LongLine) => void;

  constructor(tooLong: (line: LongLine) => void) {
    super();
    this.#tooLong = tooLong;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (const line of this.#lines.push(chunk))
      if (line.kind === "line") this.push(`${line.text}\n`);
      else this.#tooLong({ bytes: line.bytes + 1, id: requestIn(line.head, line.tail) });
    done();
  }
}

const FIRST = /^\s*\{\s*/;
const MEMBER = /"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,\s*/y;
const LAST_MEMBER = /,\s*"(\w+)"\s*:\s*("[^"\\]*"|-?\d+)\s*$/;

/** The id of a request, by the members at both ends that are no objects: quotation marks within texts have a backslash before them. */
function requestIn(head: string, tail: string): string | number | undefined {
  const members: Record<string, string> = {};
  MEMBER.lastIndex = FIRST.exec(head)?.[0].length ?? head.length;
  for (let found; (found = MEMBER.exec(head)) !== null;) members[found[1]!] = found[2]!;
  let rest = tail.replace(/\s*\}\s*$/, "");
  for (let found; (found = LAST_MEMBER.exec(rest)) !== null; rest = rest.slice(0, found.index))
    members[found[1]!] ??= found[2]!;
  const { id, method } = members;
  return method === undefined ? undefined : readId(id);
}
