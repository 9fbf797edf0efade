import type { OutputChunk } from "@haft/plugin-sdk";
import { formatBytes } from "@haft/utils";
import { decodeOutput, type DecoderState, INITIAL_DECODER_STATE } from "./decode-output.ts";
import type { ReadOutput } from "./read-window.ts";

const NEWLINE = 10;
const PAGE_BYTES = 128 * 1024;
/** A slower reader skips to the end. */
const MOST_BEHIND = 8 * PAGE_BYTES;

export class LineReader {
  readonly #read: ReadOutput;
  #offset = 0;
  #decoder: DecoderState = INITIAL_DECODER_STATE;

  constructor(read: ReadOutput) {
    this.#read = read;
  }

  /** Returns the lines that were completed since the last call. After a gap, a line reports the skipped bytes. */
  async next(): Promise<string> {
    const { text } = await this.#page(false);
    return text;
  }

  async rest(): Promise<string> {
    let all = "";
    for (;;) {
      const { text, isLast } = await this.#page(true);
      all += text;
      if (isLast) return all;
    }
  }

  async #page(ended: boolean): Promise<{ text: string; isLast: boolean }> {
    const from = this.#offset;
    let page = await this.#read(from, { max: PAGE_BYTES });
    let start = from;
    if (page.total - from > MOST_BEHIND) {
      start = page.total - PAGE_BYTES;
      page = await this.#read(start, { max: PAGE_BYTES });
    }
    const isLast = page.next >= page.total || page.next === start;
    const bytes = page.next - (page.chunks[0]?.offset ?? page.next);
    const chunks = (ended && isLast) || bytes >= PAGE_BYTES ? page.chunks : wholeLines(page.chunks);
    const last = chunks.at(-1);
    const first = chunks[0];
    if (last === undefined || first === undefined) return { text: "", isLast };
    const skipped = first.offset - from;
    const { text, state } = decodeOutput(chunks, skipped > 0 ? INITIAL_DECODER_STATE : this.#decoder, {
      ended: ended && isLast,
    });
    this.#offset = last.offset + last.bytes.length;
    this.#decoder = state;
    return { text: skipped > 0 ? `[… ${formatBytes(skipped)} left out …]\n${text}` : text, isLast };
  }
}

function wholeLines(chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  for (let index = chunks.length - 1; index >= 0; index--) {
    const chunk = chunks[index]!;
    const end = chunk.bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) return [...chunks.slice(0, index), { ...chunk, bytes: chunk.bytes.subarray(0, end) }];
  }
  return [];
}
