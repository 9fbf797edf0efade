import type { Readable, Writable } from "node:stream";

/** A message between host and runner: something JSON can hold, and bytes. */
export interface Frame {
  head: Record<string, unknown>;
  body: Uint8Array;
}

const LENGTHS = 8;
/** Larger frames are not ours: the stream is garbled, or somebody else is talking. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** `[length of head][length of body][head as JSON][body]`, lengths as unsigned 32-bit little-endian numbers. */
export function writeFrame(stream: Writable, head: Frame["head"], bodies: readonly Uint8Array[] = []): void {
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.allocUnsafe(LENGTHS + json.length);
  start.writeUInt32LE(json.length, 0);
  start.writeUInt32LE(
    bodies.reduce((sum, { length }) => sum + length, 0),
    4,
  );
  start.set(json, LENGTHS);
  if (bodies.length === 0) {
    stream.write(start);
    return;
  }
  stream.cork();
  stream.write(start);
  for (const body of bodies) stream.write(body);
  stream.uncork();
}

/** Calls back for every frame that arrives, and once when the stream ends; `broken` when it ended badly. */
export function readFrames(
  stream: Readable,
  onFrame: (frame: Frame) => void,
  onEnd: (broken?: Error) => void,
): void {
  let held: Buffer[] = [];
  let size = 0;
  let needed = LENGTHS;
  let ended = false;
  const end = (broken?: Error): void => {
    if (ended) return;
    ended = true;
    onEnd(broken);
  };
  const take = (bytes: Buffer): void => {
    held.push(bytes);
    size += bytes.length;
    while (size >= needed) {
      const all = held.length === 1 ? held[0]! : Buffer.concat(held, size);
      held = [all];
      const headLength = all.readUInt32LE(0);
      const bodyLength = all.readUInt32LE(4);
      const length = LENGTHS + headLength + bodyLength;
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
      needed = length;
      if (size < length) return;
      const head = JSON.parse(all.toString("utf8", LENGTHS, LENGTHS + headLength)) as Frame["head"];
      // A copy, so that a small body does not keep a large buffer alive, nor the other way round.
      const body = Uint8Array.prototype.slice.call(all, LENGTHS + headLength, length);
      held = size === length ? [] : [all.subarray(length)];
      size -= length;
      needed = LENGTHS;
      onFrame({ head, body });
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
  stream.on("end", () => end(size > 0 ? new Error("the stream ended within a frame") : undefined));
  stream.on("error", end);
  stream.on("close", () => end());
}
