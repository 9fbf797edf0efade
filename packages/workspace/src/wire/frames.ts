import type { Readable, Writable } from "node:stream";

export interface Frame {
  head: Record<string, unknown>;
  body: Uint8Array;
}

export interface FrameLimits {
  headBytes: number;
  bodyBytes: number;
}

const LENGTHS = 8;
const TRUSTED: FrameLimits = { headBytes: 32 * 1024 * 1024, bodyBytes: 32 * 1024 * 1024 };

/** Writes `[length of head][length of body][head as JSON][body]`, lengths as unsigned 32-bit little-endian numbers. */
export function writeFrame(stream: Writable, head: object, bodies: readonly Uint8Array[] = []): boolean {
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.allocUnsafe(LENGTHS + json.length);
  start.writeUInt32LE(json.length, 0);
  start.writeUInt32LE(
    bodies.reduce((sum, { length }) => sum + length, 0),
    4,
  );
  start.set(json, LENGTHS);
  if (bodies.length === 0) return stream.write(start);
  stream.cork();
  let room = stream.write(start);
  for (const body of bodies) room = stream.write(body);
  stream.uncork();
  return room;
}

export function readFrames(
  stream: Readable,
  onFrame: (frame: Frame) => void,
  onEnd: (broken?: Error) => void,
  limits: FrameLimits = TRUSTED,
): void {
  let partial: { bytes: Buffer; size: number } | undefined;
  let ended = false;
  const end = (broken?: Error): void => {
    if (ended) return;
    ended = true;
    onEnd(broken);
  };
  const take = (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0) {
      if (ended) return;
      if (partial === undefined) {
        const length = rest.length < LENGTHS ? LENGTHS : lengthOf(rest, limits);
        if (rest.length < length) {
          partial = { bytes: Buffer.allocUnsafe(length), size: 0 };
        } else {
          const frame = rest.subarray(0, length);
          rest = rest.subarray(length);
          // A copy, so that a small body does not retain a large buffer.
          onFrame(decode(frame, (body) => Uint8Array.prototype.slice.call(body)));
          continue;
        }
      }
      rest = rest.subarray(fill(partial, rest));
      if (partial.size < partial.bytes.length) return;
      const { bytes } = partial;
      partial = undefined;
      if (bytes.length === LENGTHS) {
        const length = lengthOf(bytes, limits);
        if (length > LENGTHS) {
          partial = { bytes: Buffer.allocUnsafe(length), size: 0 };
          fill(partial, bytes);
          continue;
        }
      }
      onFrame(decode(bytes, (body) => body));
    }
  };
  stream.on("data", (bytes: Buffer) => {
    if (ended) return;
    try {
      take(bytes);
    } catch (thrown) {
      stream.destroy();
      end(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  });
  stream.on("end", () =>
    end(partial !== undefined ? new Error("the stream ended within a frame") : undefined),
  );
  stream.on("error", end);
  stream.on("close", () => end());
}

function fill(partial: { bytes: Buffer; size: number }, from: Buffer): number {
  const count = from.copy(partial.bytes, partial.size);
  partial.size += count;
  return count;
}

function lengthOf(start: Buffer, { headBytes, bodyBytes }: FrameLimits): number {
  const head = start.readUInt32LE(0);
  const body = start.readUInt32LE(4);
  if (head > headBytes || body > bodyBytes) throw new Error(`a frame of ${head} and ${body} bytes`);
  return LENGTHS + head + body;
}

function decode(frame: Buffer, keep: (body: Buffer) => Uint8Array): Frame {
  const end = LENGTHS + frame.readUInt32LE(0);
  const head: unknown = JSON.parse(frame.toString("utf8", LENGTHS, end));
  if (typeof head !== "object" || head === null || Array.isArray(head))
    throw new Error("a frame without a head");
  return { head: head as Frame["head"], body: keep(frame.subarray(end)) };
}
