import type { OutputStream, ProcessInfo } from "@haft/core";

/** A stretch of output that was first seen together. Where both streams grew, which was first is not known. */
interface Segment {
  stream: OutputStream;
  start: number;
  streamStart: number;
  length: number;
}

export interface Known {
  id: string;
  info: ProcessInfo;
  segments: Segment[];
  cause: "timeout" | "killed" | undefined;
  graceMs: number;
  timeout: NodeJS.Timeout | undefined;
}

export function grow({ info, segments }: Known, stream: OutputStream, size: number): void {
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
