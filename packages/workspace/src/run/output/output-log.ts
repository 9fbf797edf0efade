import type { OutputChunk } from "@haft/core";
import type { OutputStream, OutputTotals } from "@haft/core/internal";
import { Ring } from "./ring.ts";
import { SpoolFile } from "./spool-file.ts";

export interface OutputLogOptions {
  ringBytes: number;
  spoolBytes: number;
  spoolPath: string;
}

/** Most commands never use the disk. */
const SPOOL_FROM = 32 * 1024;
/** Limits the recorded changes between streams, 8 bytes each. Earlier output is dropped. */
const MAX_SEGMENTS = 65_536;

interface Segment {
  stream: OutputStream;
  start: number;
  streamStart: number;
}

/** Stores the end of each stream in memory and the beginning on disk, in order, with exact gaps. */
export class OutputLog {
  readonly #rings: Readonly<Record<OutputStream, Ring>>;
  readonly #written: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
  readonly #ringBytes: number;
  readonly #spool: SpoolFile;
  #segments: Segment[] = [];
  #spooling = false;
  #lastAt: number | undefined;

  constructor({ ringBytes, spoolBytes, spoolPath }: OutputLogOptions) {
    this.#ringBytes = ringBytes;
    this.#rings = { stdout: new Ring(ringBytes), stderr: new Ring(ringBytes) };
    this.#spool = new SpoolFile(spoolPath, spoolBytes);
  }

  get total(): number {
    return this.#written.stdout + this.#written.stderr;
  }

  append(stream: OutputStream, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const start = this.total;
    if (this.#segments.at(-1)?.stream !== stream) {
      this.#segments.push({ stream, start, streamStart: this.#written[stream] });
    }
    if (!this.#spooling && start + bytes.length > Math.min(SPOOL_FROM, this.#ringBytes)) {
      this.#spooling = true;
      for (const chunk of this.#chunks(0, start)) this.#spool.append(chunk.bytes);
    }
    if (this.#spooling) this.#spool.append(bytes);
    this.#rings[stream].push(bytes);
    this.#written[stream] += bytes.length;
    this.#lastAt = Date.now();
    if (this.#segments.length > MAX_SEGMENTS) this.#segments = this.#segments.slice(MAX_SEGMENTS / 2);
  }

  read(from: number, max: number): { chunks: OutputChunk[]; next: number; dropped: number } {
    const chunks: OutputChunk[] = [];
    let left = max;
    let next = Math.min(from, this.total);
    let dropped = 0;
    for (const chunk of this.#chunks(next, this.total, () => left)) {
      dropped += chunk.offset - next;
      next = chunk.offset + chunk.bytes.length;
      left -= chunk.bytes.length;
      chunks.push(chunk);
      if (left <= 0) break;
    }
    if (left > 0) {
      dropped += this.total - next;
      next = this.total;
    }
    return { chunks, next, dropped };
  }

  totals(): OutputTotals {
    const { stdout, stderr } = this.#written;
    return {
      stdout,
      stderr,
      total: this.total,
      dropped: this.#dropped(),
      ...(this.#lastAt === undefined ? {} : { lastAt: this.#lastAt }),
      ...(this.#spool.size === 0 ? {} : { spoolPath: this.#spool.path }),
      spooled: this.#spool.size,
    };
  }

  close(remove: boolean): void {
    this.#spool.close(remove);
  }

  *#chunks(from: number, to: number, room = () => Infinity): Generator<OutputChunk> {
    for (let index = this.#segmentAt(from); index < this.#segments.length; index++) {
      const { stream, start, streamStart } = this.#segments[index]!;
      const end = Math.min(to, this.#segments[index + 1]?.start ?? this.total);
      let at = Math.max(from, start);
      const toStream = streamStart - start;
      while (at < end) {
        const spooled = Math.min(end, this.#spool.size);
        // Only bytes that are no longer in memory are read from the file.
        const ring = this.#rings[stream].start - toStream;
        const bytes =
          at >= ring
            ? this.#rings[stream].copy(at + toStream, Math.min(end, at + room()) + toStream)
            : at < spooled
              ? this.#spool.read(at, Math.min(spooled, ring, at + room()))
              : undefined;
        if (bytes === undefined || bytes.length === 0) {
          at = Math.max(at + 1, ring);
          continue;
        }
        yield { stream, offset: at, bytes };
        at += bytes.length;
      }
      if (end >= to) return;
    }
  }

  #segmentAt(offset: number): number {
    let low = 0;
    let high = this.#segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#segments[middle]!.start <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #dropped(): number {
    const { stdout, stderr } = this.#rings;
    if (stdout.start === 0 && stderr.start === 0 && (this.#segments[0]?.start ?? 0) === 0) return 0;
    let stored = 0;
    this.#segments.forEach(({ stream, start, streamStart }, index) => {
      const end = this.#segments[index + 1]?.start ?? this.total;
      const inMemory = Math.min(end, Math.max(start, this.#rings[stream].start + start - streamStart));
      stored += end - inMemory + Math.max(0, Math.min(this.#spool.size, inMemory) - start);
    });
    return this.total - stored;
  }
}
