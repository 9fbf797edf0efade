import { Transform, type TransformCallback } from "node:stream";

/** Bytes of a message that are taken. */
export const MOST_OF_LINE = 10 * 1024 * 1024;
/** Bytes at each end of a longer one that are looked at. */
const LOOKED_AT = 1024;
const NEWLINE = 10;

/** What is known of a message that was too long. */
export interface LongLine {
  bytes: number;
  /** Of a request, where it stands before or behind all that is long. */
  id: string | number | undefined;
}

/** Hands lines on, each whole, and leaves out those that are longer than what reads them takes. */
export class IncomingLines extends Transform {
  readonly #tooLong: (line: LongLine) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The ends of a line that is too long. */
  #ends: { head: Buffer; tail: Buffer } | undefined;

  constructor(tooLong: (line: LongLine) => void) {
    super();
    this.#tooLong = tooLong;
  }

  override _transform(chunk: Buffer | string, encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    for (let from = 0; from < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, from);
      const end = newline < 0 ? bytes.length : newline + 1;
      this.#take(bytes.subarray(from, end));
      if (newline >= 0) this.#endLine();
      from = end;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#endLine();
    done();
  }

  #take(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= MOST_OF_LINE) return void this.#parts.push(part);
    const before = this.#ends ?? { head: Buffer.concat([...this.#parts, part], LOOKED_AT), tail: null };
    const tail = Buffer.concat(before.tail === null ? [...this.#parts, part] : [before.tail, part]);
    // A copy: the rest of it is not kept.
    this.#ends = { head: before.head, tail: Buffer.from(tail.subarray(-LOOKED_AT)) };
    this.#parts = [];
  }

  #endLine(): void {
    const [ends, parts, bytes] = [this.#ends, this.#parts, this.#bytes];
    [this.#ends, this.#parts, this.#bytes] = [undefined, [], 0];
    if (ends !== undefined)
      this.#tooLong({ bytes, id: requestIn(ends.head.toString(), ends.tail.toString()) });
    else if (bytes > 0) this.push(parts.length === 1 ? parts[0] : Buffer.concat(parts));
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
  return id === undefined || method === undefined ? undefined : (JSON.parse(id) as string | number);
}
