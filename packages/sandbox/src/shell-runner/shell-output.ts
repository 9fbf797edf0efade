import type { OutputChunk, ProcessInfo } from "@haft/core";
import type { OutputStream } from "@haft/core/internal";
import { RunnerError } from "@haft/system";
import { requireSuccess } from "./shell-answers.ts";
import type { ShellChannel } from "./shell-channel.ts";
import { BLOCK_BYTES, SLICE_BLOCKS } from "./shell-files.ts";

/** The order of both streams within one poll is unknown. */
interface Segment {
  stream: OutputStream;
  start: number;
  streamStart: number;
  length: number;
}

export interface ShellProcess {
  id: string;
  info: ProcessInfo;
  segments: Segment[];
  cause: "timeout" | "killed" | undefined;
  graceMs: number;
  timeout: NodeJS.Timeout | undefined;
}

export function recordOutputSize({ info, segments }: ShellProcess, stream: OutputStream, size: number): void {
  const { output } = info;
  const length = size - output[stream];
  if (!(length > 0)) return;
  const start = output.stdout + output.stderr;
  const last = segments.at(-1);
  if (last?.stream === stream) last.length += length;
  else segments.push({ stream, start, streamStart: output[stream], length });
  output[stream] = size;
  output.lastAt = Date.now();
}

async function readOutput(
  channel: ShellChannel,
  id: string,
  stream: OutputStream,
  from: number,
  length: number,
): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for (let done = 0; done < length;) {
    const skip = Math.floor((from + done) / BLOCK_BYTES);
    const within = from + done - skip * BLOCK_BYTES;
    const blocks = Math.min(SLICE_BLOCKS, Math.ceil((within + length - done) / BLOCK_BYTES));
    const file = stream === "stdout" ? "o" : "e";
    const { body } = requireSuccess(await channel.call("output", id, file, String(skip), String(blocks)));
    const bytes = body.subarray(within, within + length - done);
    if (bytes.length === 0) throw new RunnerError("RUNNER_LOST", "earlier output is lost");
    parts.push(bytes);
    done += bytes.length;
  }
  return Uint8Array.from(Buffer.concat(parts));
}

export async function readChunks(
  channel: ShellChannel,
  { id, segments }: Pick<ShellProcess, "id" | "segments">,
  from: number,
  until: number,
): Promise<OutputChunk[]> {
  const chunks: OutputChunk[] = [];
  for (const { stream, start: first, streamStart, length } of segments) {
    const start = Math.max(from, first);
    const end = Math.min(until, first + length);
    if (start >= end) continue;
    const bytes = await readOutput(channel, id, stream, streamStart + start - first, end - start);
    chunks.push({ stream, offset: start, bytes });
  }
  return chunks;
}
