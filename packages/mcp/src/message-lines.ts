type MessageLine =
  | { kind: "line"; text: string }
  /** A line over the limit, with both ends for its id. */
  | { kind: "too long"; bytes: number; head: string; tail: string };

const EDGE_BYTES = 1024;

export class MessageLines {
  readonly #most: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #ends: { head: string; tail: Buffer } | undefined;
  #isBroken = false;

  constructor(most: number) {
    this.#most = most;
  }

  skip(): void {
    this.#reset();
    this.#isBroken = true;
  }

  *push(bytes: Uint8Array): Generator<MessageLine> {
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
    // The buffer is reused.
    if (this.#bytes <= this.#most) return void this.#parts.push(Buffer.from(part));
    const before = this.#ends?.tail ?? Buffer.concat(this.#parts);
    this.#ends = {
      head: this.#ends?.head ?? Buffer.concat([...this.#parts, part], EDGE_BYTES).toString(),
      tail: Buffer.concat([before.subarray(-EDGE_BYTES), part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES),
    };
    this.#parts = [];
  }

  #take(): MessageLine | undefined {
    const wasBroken = this.#isBroken;
    const line: MessageLine =
      this.#ends !== undefined
        ? {
            kind: "too long",
            bytes: this.#bytes,
            head: this.#ends.head,
            tail: this.#ends.tail.toString(),
          }
        : { kind: "line", text: Buffer.concat(this.#parts).toString() };
    this.#reset();
    this.#isBroken = false;
    return wasBroken ? undefined : line;
  }

  #reset(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#ends = undefined;
  }
}

/** Extracts the request id from an end of an oversized answer. */
export function answeredId({ head, tail }: { head: string; tail: string }): number | string | undefined {
  const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]{0,100}")/.exec(head);
  const last = /,\s*"id"\s*:\s*(\d+|"[^"\\]{0,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return readId(first?.[1] ?? last?.[1]);
}

export function readId(text = ""): number | string | undefined {
  try {
    return JSON.parse(text) as number | string;
  } catch {
    return undefined;
  }
}
