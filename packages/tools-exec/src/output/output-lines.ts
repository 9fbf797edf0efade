import type { OutputChunk } from "@haft/plugin-sdk";
import { decodeOutput } from "./decode-output.ts";
import type { ReadOutput } from "./read-window.ts";

export interface LinePage {
  lines: string[];
  first: number;
  totalLines: number;
  totalChars: number;
}

const NEWLINE = 10;
const STRIDE = 512;
const PAGE_BYTES = 256 * 1024;
const MOST_LINE_BYTES = 8 * 1024;

/** Reads lines by number. Indexes every {@link STRIDE}th line; only the lines of a page are in memory. */
export class OutputLines {
  readonly #output: ReadOutput;
  readonly #offsets: number[] = [0];
  #scanned = 0;
  #newlines = 0;
  #characters = 0;
  #endsInLine = false;

  constructor(output: ReadOutput) {
    this.#output = output;
  }

  /** @param first the number of the first line, from 0; negative: counted from the end */
  async page(first: number, limit: number, mostCharacters: number): Promise<LinePage> {
    await this.#scan();
    const totalLines = this.#newlines + (this.#endsInLine ? 1 : 0);
    const start = Math.min(first < 0 ? Math.max(0, totalLines + first) : first, totalLines);
    const end = Math.min(totalLines, start + limit);
    const lines = start < end ? await this.#read(start, end, mostCharacters) : [];
    return { lines, first: start, totalLines, totalChars: this.#characters };
  }

  async #scan(): Promise<void> {
    let total: number;
    do {
      const page = await this.#output(this.#scanned, { max: PAGE_BYTES });
      total = page.total;
      for (const { bytes, offset } of page.chunks) this.#scanBytes(bytes, offset);
      if (page.next === this.#scanned) return;
      this.#scanned = page.next;
    } while (this.#scanned < total);
  }

  #scanBytes(bytes: Uint8Array, offset: number): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      // Every character has exactly one non-continuation byte.
      if ((byte & 0xc0) !== 0x80) this.#characters++;
      if (byte === NEWLINE && ++this.#newlines % STRIDE === 0) this.#offsets.push(offset + at + 1);
    }
    this.#endsInLine = bytes.at(-1) !== NEWLINE;
  }

  async #read(start: number, end: number, mostCharacters: number): Promise<string[]> {
    const lines: string[] = [];
    let number = Math.floor(start / STRIDE) * STRIDE;
    let offset = this.#offsets[number / STRIDE]!;
    let line = new LineBytes();
    let characters = 0;
    const finish = (): boolean => {
      if (number >= start) {
        const text = line.text();
        // At least one line, so that paging always advances.
        if (lines.length > 0 && characters + text.length > mostCharacters) return false;
        characters += text.length + 1;
        lines.push(text);
      }
      number++;
      line = new LineBytes();
      return number < end;
    };
    while (offset < this.#scanned) {
      const page = await this.#output(offset, { max: PAGE_BYTES });
      line.dropped += page.dropped;
      for (const chunk of page.chunks) {
        for (const { piece, endsLine } of splitLines(chunk)) {
          line.add(piece);
          if (endsLine && !finish()) return lines;
        }
      }
      if (page.next === offset) break;
      offset = page.next;
    }
    if (number < end) finish();
    return lines;
  }
}

class LineBytes {
  readonly #pieces: OutputChunk[] = [];
  #length = 0;
  #left = 0;
  dropped = 0;

  add(piece: OutputChunk): void {
    const room = Math.max(0, MOST_LINE_BYTES - this.#length);
    const bytes = piece.bytes.subarray(0, room);
    if (bytes.length > 0) this.#pieces.push({ ...piece, bytes });
    this.#length += bytes.length;
    this.#left += piece.bytes.length - bytes.length;
  }

  text(): string {
    const { text } = decodeOutput(this.#pieces, undefined, { ended: this.#left === 0 });
    const left = this.#left === 0 ? "" : `… [${this.#left} more bytes in this line]`;
    const dropped = this.dropped === 0 ? "" : `[${this.dropped} bytes were dropped here] `;
    return dropped + text + left;
  }
}

function* splitLines(chunk: OutputChunk): Generator<{ piece: OutputChunk; endsLine: boolean }> {
  const { bytes, offset } = chunk;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    yield {
      piece: { ...chunk, offset: offset + start, bytes: bytes.subarray(start, end) },
      endsLine: newline !== -1,
    };
    start = end + 1;
  }
}
