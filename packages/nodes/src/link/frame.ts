import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

export interface FrameHead {
  /** `answer` is all that a node says. */
  readonly op: "invoke" | "recall" | "abort" | "pull" | "ping" | "open" | "stream" | "answer";
  /** The invocation, or the stream; empty where it is about none. */
  readonly id: string;
  /** Goes up with each message of one side. */
  readonly seq: number;
  /** Milliseconds left. */
  readonly left: number;
  /** Of a ping: the answer says what the node uses, too. One that does not know of it says nothing. */
  readonly use?: true;
  /** Of an answer: the `seq` it answers. */
  readonly re?: number;
  /** Of a pull, or of bytes of a stream: the first byte. */
  readonly from?: number;
  /** Of an answer: bytes of all of it. */
  readonly total?: number;
  /** Of an answer: it still runs, or is being opened. */
  readonly running?: true;
  /** Of a stream, as of `Piece`. */
  readonly end?: true;
  readonly have?: number;
  readonly until?: number;
  readonly again?: true;
  /** Of a stream: end it, and say when it has. */
  readonly close?: true;
  /** Of an answer: the stream is over, and the body says why. */
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

/** Bytes of a frame beside its body. */
export const FRAME_OVERHEAD = HEAD + 512;

/** A frame with its code over all that it means: subject, direction, link, head (invocation, sequence, time left) and body. */
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

/** The link that a frame is of, as it says; `undefined` for what is no frame. */
export function readLinkId(bytes: Uint8Array): string | undefined {
  if (bytes.length < HEAD || bytes[0] !== KIND) return undefined;
  return asBuffer(bytes).toString("hex", LINK, CODE);
}

/** What a frame says, if its code is right; `undefined` otherwise. */
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
