import {
  type FileStat,
  type FileSystem,
  type HaftError,
  type ModelFacts,
  text,
  type ToolResult,
  image,
  type ImageBlock,
} from "@haft/plugin-sdk";
import { formatBytes } from "@haft/utils";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileType } from "../content/file-type.ts";
import { WORKER_DEADLINE_MS, IMAGE_LIMITS, MAX_IMAGE_BYTES } from "../defaults.ts";
import { fileToolError } from "../errors.ts";
import { SCAN_SLICE_BYTES } from "../lines/scanner.ts";
import { WorkerThread, workerUrl } from "../scheduling/worker-thread.ts";
import { isSoundImage } from "./check-image.ts";
import { base64Length, type ImageLimits } from "./image-facts.ts";
import type { ShrinkAnswer, ShrinkJob } from "./shrink.ts";

/** Describes the `details` of `read` for an image. */
export interface ReadImageDetails {
  /** Distinguishes images from text. */
  kind: "image";
  /** Contains the path as the call has it. */
  path: string;
  /** Contains the media type, detected from the content. */
  mimeType: string;
  /** Contains the size of the file in bytes. */
  size: number;
  /** Contains the version of the file, which changes with the content. */
  version: string;
  /** Contains the width in pixels. Absent if the model does not see images. */
  width?: number;
  /** Contains the height in pixels. Absent if the model does not see images. */
  height?: number;
  /** Describes the sent image, if the file exceeds the limits. */
  sent?: { mimeType: string; width: number; height: number; bytes: number };
}

interface ReadImageOptions {
  signal: AbortSignal;
  model: ModelFacts;
  limits: Partial<ImageLimits> | undefined;
}

export async function readImage(
  fs: FileSystem,
  path: string,
  found: { type: FileType; stat: FileStat },
  options: ReadImageOptions,
): Promise<ToolResult<ReadImageDetails>> {
  const { mimeType } = found.type;
  const { size, version } = found.stat;
  const details: ReadImageDetails = { kind: "image", path, mimeType, size, version };
  if (!options.model.images) {
    return noteOnly(details, `The model in use cannot see images; ${formatBytes(size)} not attached.`);
  }
  if (size > MAX_IMAGE_BYTES) throw tooLarge(path, `its file has ${formatBytes(size)}`);
  const bytes = await readWhole(fs, path, found.stat, options.signal);
  const dimensions = imageSize(bytes, mimeType);
  if (dimensions === undefined || !(await isSoundImage(bytes, mimeType))) throw damaged(path, mimeType);
  Object.assign(details, dimensions);
  return show(bytes, details, dimensions, { ...IMAGE_LIMITS, ...options.limits }, options.signal);
}

async function show(
  bytes: Buffer,
  details: ReadImageDetails,
  { width, height }: ImageSize,
  limits: ImageLimits,
  signal: AbortSignal,
): Promise<ToolResult<ReadImageDetails>> {
  const { mimeType, path, size } = details;
  const fits = Math.max(width, height) <= limits.maxSide;
  if (fits && base64Length(bytes.length) <= limits.maxBase64Bytes) {
    return { content: [text(header(mimeType)), await imageBlock(bytes, mimeType)], details };
  }

  const facts = `${width}x${height} pixels, ${formatBytes(size)}`;
  const most = `${limits.maxSide} pixels a side, ${formatBytes(limits.maxBase64Bytes)} as base64`;
  const answer = await inThread({ source: bytes, mimeType, limits }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw damaged(path, mimeType, error);
  });
  if (answer.kind === "shrunk") return sent(details, answer);
  if (answer.kind === "impossible") throw tooLarge(path, `${facts}; it cannot be reduced to ${most}`);
  return noteOnly(
    details,
    `The image (${facts}) is larger than the model accepts (${most}). ` +
      "Install the optional package sharp to reduce images.",
  );
}

/** Loading the image library alone blocks the event loop for tens of milliseconds. */
const thread = new WorkerThread<ShrinkJob, ShrinkAnswer>(workerUrl("shrink-worker", import.meta.url));

function inThread(job: ShrinkJob, signal: AbortSignal): Promise<ShrinkAnswer> {
  return thread.run(job, {
    signal,
    deadlineMs: WORKER_DEADLINE_MS,
    transfer: [job.source.buffer as ArrayBuffer],
  });
}

async function sent(
  details: ReadImageDetails,
  { bytes, mimeType, width, height }: { bytes: Uint8Array; mimeType: string } & ImageSize,
): Promise<ToolResult<ReadImageDetails>> {
  const from = `${details.mimeType}, ${details.width}x${details.height}`;
  return {
    content: [
      text(header(mimeType)),
      await imageBlock(bytes, mimeType),
      text(`[Shown as ${mimeType}, ${width}x${height}; the file is ${from}, ${formatBytes(details.size)}.]`),
    ],
    details: { ...details, sent: { mimeType, width, height, bytes: bytes.length } },
  };
}

function noteOnly(details: ReadImageDetails, note: string): ToolResult<ReadImageDetails> {
  return { content: [text(header(details.mimeType)), text(`[${note}]`)], details };
}

function header(mimeType: string): string {
  return `Read image file [${mimeType}]`;
}

async function readWhole(fs: FileSystem, path: string, stat: FileStat, signal: AbortSignal): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(stat.size);
  for (let at = 0; at < whole.length;) {
    signal.throwIfAborted();
    const into = whole.subarray(at, at + SCAN_SLICE_BYTES);
    const got = await fs.read(path, { offset: at, length: into.length, into, signal });
    if (got.stat.version !== stat.version || got.bytes.length === 0) throw changed(path);
    if (got.bytes.buffer !== into.buffer) into.set(got.bytes);
    at += got.bytes.length;
    if (at < whole.length) await nextTurn();
  }
  return whole;
}

function damaged(path: string, mimeType: string, cause?: unknown): HaftError {
  const message = `read: ${mimeType} data is damaged, truncated or of a rare kind (${path})`;
  return fileToolError("IMAGE_INVALID", message, { details: { path, mimeType }, cause });
}

function tooLarge(path: string, why: string): HaftError {
  return fileToolError("FILE_TOO_LARGE", `read: the image is too large to show: ${why} (${path})`, {
    fix: "Create a smaller copy with an image program and read it.",
    details: { path },
  });
}

function changed(path: string): HaftError {
  return fileToolError("FILE_CHANGED", `${path} changed while it was read.`, {
    fix: "Read it again.",
    details: { path },
  });
}

/** Encoded per turn (about 3 ms). A multiple of three, so that the base64 pieces join. */
const STEP = 12 * 1024 * 1024;

async function imageBlock(bytes: Uint8Array, mimeType: string): Promise<ImageBlock> {
  if (bytes.length <= STEP) return image(bytes, mimeType);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let data = buffer.toString("base64", 0, STEP);
  for (let at = STEP; at < buffer.length; at += STEP) {
    await nextTurn();
    data += buffer.toString("base64", at, at + STEP);
  }
  return { type: "image", data, mimeType };
}

interface ImageSize {
  width: number;
  height: number;
}

/** Reads only the header. `undefined` if the image is damaged or truncated. */
function imageSize(bytes: Buffer, mimeType: string): ImageSize | undefined {
  try {
    const size = READERS[mimeType]?.(bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Readonly<Record<string, (bytes: Buffer) => ImageSize | undefined>> = {
  "image/png": png,
  "image/jpeg": jpeg,
  "image/gif": (b) => ({ width: b.readUInt16LE(6), height: b.readUInt16LE(8) }),
  "image/webp": webp,
};

function png(b: Buffer): ImageSize | undefined {
  if (b.toString("latin1", 12, 16) !== "IHDR") return undefined;
  for (let at = 8; ;) {
    const end = at + 12 + b.readUInt32BE(at);
    if (end > b.length) return undefined;
    if (b.toString("latin1", at + 4, at + 8) === "IEND") break;
    at = end;
  }
  return { width: b.readUInt32BE(16), height: b.readUInt32BE(20) };
}

const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** Walks the segments to the start-of-frame. C4, C8 and CC are not frames. */
function jpeg(b: Buffer): ImageSize | undefined {
  if (b.lastIndexOf(END_OF_IMAGE) < 0) return undefined;
  for (let at = 2; ;) {
    if (b.readUInt8(at) !== 0xff) return undefined;
    const marker = b.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { height: b.readUInt16BE(at + 5), width: b.readUInt16BE(at + 7) };
    }
    at += 2 + b.readUInt16BE(at + 2);
  }
}

function webp(b: Buffer): ImageSize | undefined {
  if (b.readUInt32LE(4) + 8 > b.length) return undefined;
  switch (b.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: b.readUInt16LE(26) & 0x3fff, height: b.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const packed = b.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: b.readUIntLE(24, 3) + 1, height: b.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
