import type { OutputChunk, Processes, ProcessInfo, ProcessOutput, ProcessState } from "@haft/plugin-sdk";

export type ReadOutput = (
  from: number,
  options: { max: number; waitMs?: number; signal?: AbortSignal },
) => Promise<ProcessOutput>;

export interface OutputWindow {
  head: OutputChunk[];
  tail: OutputChunk[];
  /** Readable unless they were dropped. */
  skipped: number;
  dropped: number;
  next: number;
  state: ProcessState;
}

const HEAD_BYTES = 32 * 1024;
const TAIL_BYTES = 96 * 1024;

export async function readWindow(processes: Processes, id: string, from: number): Promise<OutputWindow> {
  const first = await processes.read(id, from, { max: HEAD_BYTES + TAIL_BYTES });
  if (first.next >= first.total) {
    const { chunks, dropped, next, state } = first;
    return { head: chunks, tail: [], skipped: 0, dropped, next, state };
  }
  const head = upTo(first.chunks, HEAD_BYTES);
  const headEnd = endOf(head) ?? first.next;
  const tailStart = Math.max(headEnd, first.total - TAIL_BYTES);
  const window: OutputWindow = {
    head,
    tail: [],
    skipped: tailStart - headEnd,
    dropped: droppedFrom(from, (await processes.info(id))?.output),
    next: tailStart,
    state: first.state,
  };
  while (window.next < first.total) {
    const page = await processes.read(id, window.next, { max: TAIL_BYTES });
    if (page.next === window.next) break;
    window.tail.push(...page.chunks);
    window.next = page.next;
    window.state = page.state;
  }
  return window;
}

/** Dropped bytes are after the file and before the memory. */
function droppedFrom(from: number, output: ProcessInfo["output"] | undefined): number {
  if (output === undefined) return 0;
  return Math.max(0, output.dropped - Math.max(0, from - output.spooled));
}

function upTo(chunks: readonly OutputChunk[], most: number): OutputChunk[] {
  const taken: OutputChunk[] = [];
  let left = most;
  for (const chunk of chunks) {
    if (left <= 0) break;
    taken.push(chunk.bytes.length <= left ? chunk : { ...chunk, bytes: chunk.bytes.subarray(0, left) });
    left -= chunk.bytes.length;
  }
  return taken;
}

function endOf(chunks: readonly OutputChunk[]): number | undefined {
  const last = chunks.at(-1);
  return last === undefined ? undefined : last.offset + last.bytes.length;
}
