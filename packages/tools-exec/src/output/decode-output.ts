import type { OutputChunk } from "@haft/plugin-sdk";
import { collapseLines } from "./collapse-lines.ts";
import { NO_SEQUENCE, type SequenceState, stripSequences } from "./strip-sequences.ts";

/** Contains the incomplete end of each stream. Immutable. */
export type DecoderState = Readonly<Record<OutputChunk["stream"], StreamState>>;

interface StreamState {
  readonly bytes: Uint8Array;
  readonly sequence: SequenceState;
}

const EMPTY: StreamState = { bytes: new Uint8Array(0), sequence: NO_SEQUENCE };
export const INITIAL_DECODER_STATE: DecoderState = { stdout: EMPTY, stderr: EMPTY };

/**
 * Replaces invalid UTF-8, removes escape sequences, and shows the last state of progress bars. Chunks may split characters and sequences;
 * an incomplete end waits for the next call, unless it is the last.
 */
export function decodeOutput(
  chunks: readonly OutputChunk[],
  from: DecoderState = INITIAL_DECODER_STATE,
  { ended = false }: { ended?: boolean } = {},
): { text: string; state: DecoderState } {
  const state = { ...from };
  let text = "";
  let next = chunks[0]?.offset ?? 0;
  for (const { stream, offset, bytes } of chunks) {
    // After a gap, no earlier state continues.
    if (offset !== next) state.stdout = state.stderr = EMPTY;
    next = offset + bytes.length;
    const decoded = decodeChunk(bytes, state[stream]);
    state[stream] = decoded.state;
    text += decoded.text;
  }
  if (ended) {
    for (const { bytes } of [state.stdout, state.stderr]) if (bytes.length > 0) text += "\uFFFD";
  }
  return { text: collapseLines(text), state };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function decodeChunk(chunk: Uint8Array, state: StreamState): { text: string; state: StreamState } {
  const bytes = state.bytes.length === 0 ? chunk : Buffer.concat([state.bytes, chunk]);
  const complete = bytes.length - incompleteEnd(bytes);
  const { text, state: sequence } = stripSequences(
    decoder.decode(bytes.subarray(0, complete)),
    state.sequence,
  );
  return { text, state: { bytes: bytes.slice(complete), sequence } };
}

function incompleteEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc2) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf5) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
