import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

export interface FrameHead {
  /** `answer` covers all messages of the node. */
  readonly op: "invoke" | "recall" | "abort" | "pull" | "ping" | "open" | "stream" | "answer";
  /** An invocation or stream, or empty. */
  readonly id: string;
  readonly seq: number;
  /** Remaining milliseconds. */
  readonly left: number;
  /** Ping: requests resource usage, unknown to older nodes. */
  readonly use?: true;
  /** Answer: the `seq` of its request. */
  readonly re?: number;
  /** Pull or stream: offset of the first byte. */
  readonly from?: number;
  readonly total?: number;
  /** Answer: the call still runs, or the workspace is still opening. */
  readonly running?: true;
  /** Stream: see `StreamSegment`. */
  readonly end?: true;
  readonly have?: number;
  readonly until?: number;
  readonly again?: true;
  /** Stream: requests a confirmed end. */
  readonly close?: true;
  /** Answer: the stream has ended for the reason in the body. */
  readonly gone?: true;
}

type Direction = "host" | "node";

export interface LinkFrame {
  readonly head: FrameHead;
  readonly body: Buffer;
}

/** `[1][16 bytes: link][32: code][4: length of the head][head as JSON][body]`. */
const KIND = 1;
const LINK = 1;
const CODE = 17;
const LENGTH = 49;
const HEAD = 53;
const MAX_HEAD_BYTES = 4_096;

/** Bytes of a frame besides its body. */
export const FRAME_OVERHEAD = HEAD + 512;

/** Creates a frame. Its code authenticates subject, direction, link, head and body. */
export function sealFrame(
  key: KeyObject,
  link: Buffer,
  subject: string,
  from: Direction,
  head: FrameHead,
  body: Uint8Array,
): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const frame = Buffer.allocUnsafe(HEAD + json.length + body.length);
  frame[0] = KIND;
  frame.set(link, LINK);
  frame.writeUInt32LE(json.length, LENGTH);
  frame.set(json, HEAD);
  frame.set(body, HEAD + json.length);
  frame.set(codeOf(key, subject, from, frame), CODE);
  return frame;
}

/** Returns the unverified link id, if the bytes are a frame. */
export function readLinkId(bytes: Uint8Array): string | undefined {
  if (bytes.length < HEAD || bytes[0] !== KIND) return undefined;
  return asBuffer(bytes).toString("hex", LINK, CODE);
}

export function openFrame(
  key: KeyObject,
  bytes: Uint8Array,
  subject: string,
  from: Direction,
): LinkFrame | undefined {
  const frame = asBuffer(bytes);
  if (frame.length < HEAD || frame[0] !== KIND) return undefined;
  if (!timingSafeEqual(frame.subarray(CODE, LENGTH), codeOf(key, subject, from, frame))) return undefined;
  const length = frame.readUInt32LE(LENGTH);
  if (length > MAX_HEAD_BYTES || HEAD + length > frame.length) return undefined;
  try {
    const head = JSON.parse(frame.toString("utf8", HEAD, HEAD + length)) as FrameHead;
    const { op, id, seq, left } = head;
    const fits =
      typeof op === "string" &&
      typeof id === "string" &&
      Number.isSafeInteger(seq) &&
      typeof left === "number";
    return fits ? { head, body: frame.subarray(HEAD + length) } : undefined;
  } catch {
    return undefined;
  }
}

function codeOf(key: KeyObject, subject: string, from: Direction, frame: Buffer): Buffer {
  return createHmac("sha256", key)
    .update(`${from} ${Buffer.byteLength(subject)} ${subject} `)
    .update(frame.subarray(0, CODE))
    .update(frame.subarray(LENGTH))
    .digest();
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
