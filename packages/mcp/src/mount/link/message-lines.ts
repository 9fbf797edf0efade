/** What comes out of a server's standard output. */
export type ServerLine =
  /** One whole line. */
  | { kind: "line"; text: string }
  /** One that is longer than is taken: how long, and its beginning and end, which tell whose answer it was. */
  | { kind: "too long"; bytes: number; head: string; tail: string };

/** Bytes of a line's beginning and end that are kept of one that is too long. */
const KEPT = 512;

/** Cuts output into lines, of which none takes more memory than is allowed. */
export class MessageLines {
  readonly #most: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #head = "";
  #tail: Buffer = Buffer.alloc(0);
  #isBroken = false;

  /** @param most bytes of a line */
  constructor(most: number) {
    this.#most = most;
  }

  /** A part of the output is missing here: the line it would have been in is none. */
  skip(): void {
    this.#reset();
    this.#isBroken = true;
  }

  *push(bytes: Uint8Array): Generator<ServerLine> {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = this.#take();
      if (line !== undefined) yield line;
    }
    this.#add(rest);
  }

  #add(part: Buffer): void {
    if (part.length === 0 || this.#isBroken) return;
    this.#bytes += part.length;
    if (this.#bytes <= this.#most) {
      // Where it came in is reused.
      this.#parts.push(Buffer.from(part));
      return;
    }
    if (this.#parts.length > 0) {
      const all = Buffer.concat(this.#parts);
      this.#head = all.subarray(0, KEPT).toString();
      this.#tail = all.subarray(-KEPT);
      this.#parts = [];
    }
    if (this.#head === "") this.#head = part.subarray(0, KEPT).toString();
    this.#tail = Buffer.concat([this.#tail, part.subarray(-KEPT)]).subarray(-KEPT);
  }

  #take(): ServerLine | undefined {
    const wasBroken = this.#isBroken;
    const bytes = this.#bytes;
    const line: ServerLine =
      bytes > this.#most
        ? { kind: "too long", bytes, head: this.#head, tail: this.#tail.toString() }
        : { kind: "line", text: Buffer.concat(this.#parts).toString() };
    this.#reset();
    this.#isBroken = false;
    return wasBroken ? undefined : line;
  }

  #reset(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#head = "";
    this.#tail = Buffer.alloc(0);
  }
}

/** The id of the request that such an answer belongs to, where its beginning or its end says it. */
export function answeredId({ head, tail }: { head: string; tail: string }): number | string | undefined {
  const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]{0,100}")/.exec(head);
  const last = /,\s*"id"\s*:\s*(\d+|"[^"\\]{0,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const found = first?.[1] ?? last?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as number | string);
}
