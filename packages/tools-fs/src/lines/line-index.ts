import { type LineEnd, type Scanner, SCAN_SLICE_BYTES } from "./scanner.ts";

const FIRST_STRIDE = 256 * 1024;
const MOST_ENTRIES = 32_768;

interface LineBlock {
  start: number;
  length: number;
  nth: number;
}

/**
 * Line ends before every 256 KiB of one file version, so finding a line costs one read. Beyond 8 GiB blocks grow, so an index has at most
 * 32,768 entries (until 128 GiB).
 */
export class LineIndex {
  readonly version: string;
  /** Start of the text: 3 after a byte order mark, else 0. */
  readonly textStart: number;
  readonly lineEnd: LineEnd;
  scanned = 0;
  newlines = 0;
  complete = false;
  /** End of the last page inside a line, where the next page continues. */
  resume: { line: number; cursor: number; byte: number } | undefined;

  private stride = FIRST_STRIDE;
  /** `before[i]`: line feeds before byte `i * stride`. */
  private before: number[] = [];
  private lastByte = 0;

  constructor(version: string, textStart: number, lineEnd: LineEnd) {
    this.version = version;
    this.textStart = textStart;
    this.lineEnd = lineEnd;
  }

  /** Of the whole file if {@link complete}. An unterminated last line counts. */
  get lines(): number {
    return this.newlines + (this.scanned > this.textStart && this.lastByte !== this.lineEnd ? 1 : 0);
  }

  /** Adds the file's next bytes, `[from, to)` of the scanner's buffer. `last`: the file ends there. */
  add(scanner: Pick<Scanner, "buffer" | "count">, from: number, to: number, last: boolean): void {
    for (let at = from; at < to;) {
      if (this.before.length === MOST_ENTRIES && this.stride < SCAN_SLICE_BYTES) this.coarsen();
      const end = Math.min(at + this.stride, to);
      this.before.push(this.newlines);
      this.newlines += scanner.count(at, end, this.lineEnd);
      this.scanned += end - at;
      at = end;
    }
    if (to > from) this.lastByte = scanner.buffer[to - 1] as number;
    if (last) this.complete = true;
  }

  /** Returns the block in which line `line` (1-based, ≥ 2) begins; `undefined` if it was not scanned. */
  find(line: number): LineBlock | undefined {
    const wanted = line - 1;
    if (this.newlines < wanted) return undefined;
    let low = 0;
    let high = this.before.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.before[middle] as number) < wanted) low = middle;
      else high = middle - 1;
    }
    const start = low * this.stride;
    return {
      start,
      length: Math.min(this.stride, this.scanned - start),
      nth: wanted - (this.before[low] as number),
    };
  }

  private coarsen(): void {
    this.before = this.before.filter((_, index) => index % 2 === 0);
    this.stride *= 2;
  }
}
