import { promisify } from "node:util";
import { crc32, inflate as inflateBytes } from "node:zlib";

const inflate = promisify(inflateBytes);

/** Larger pixel data is not decompressed for the check. */
const MAX_PIXEL_BYTES = 256 * 1024 * 1024;

/**
 * Returns whether decoders accept the structure of an image, from all of its bytes: checksums and pixel data of PNG, scans of JPEG, image
 * blocks of GIF and WebP. A damaged image in a conversation makes model providers reject every later request.
 */
export async function isSoundImage(bytes: Buffer, mimeType: string): Promise<boolean> {
  try {
    return (await CHECKS[mimeType]?.(bytes)) ?? true;
  } catch (error) {
    // A length leads behind the end.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const CHECKS: Readonly<Record<string, (bytes: Buffer) => boolean | Promise<boolean>>> = {
  "image/png": checkPng,
  "image/jpeg": checkJpeg,
  "image/gif": checkGif,
  "image/webp": checkWebp,
};

async function checkPng(b: Buffer): Promise<boolean> {
  const data: Buffer[] = [];
  for (let at = 8; ;) {
    const length = b.readUInt32BE(at);
    const type = b.toString("latin1", at + 4, at + 8);
    const end = at + 8 + length;
    // Bit 5 of the first letter marks an optional chunk.
    const isCritical = (b.readUInt8(at + 4) & 0x20) === 0;
    if (isCritical && crc32(b.subarray(at + 4, end)) !== b.readUInt32BE(end)) return false;
    if (type === "IDAT") data.push(b.subarray(at + 8, end));
    if (type === "IEND") break;
    at = end + 4;
  }
  const size = pixelBytes(b);
  if (size === undefined || data.length === 0) return false;
  if (size > MAX_PIXEL_BYTES) return true;
  try {
    const pixels = await inflate(Buffer.concat(data), { maxOutputLength: 2 * size + 1024 });
    return pixels.length >= size;
  } catch {
    return false;
  }
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Returns the least size of the pixel data with a filter byte per row. */
function pixelBytes(b: Buffer): number | undefined {
  const [width, height] = [b.readUInt32BE(16), b.readUInt32BE(20)];
  const channels = CHANNELS[b.readUInt8(25)];
  return channels && height * (1 + Math.ceil((width * channels * b.readUInt8(24)) / 8));
}

/** Requires a frame, then a scan with data and without impossible markers. */
function checkJpeg(b: Buffer): boolean {
  let hasFrame = false;
  for (let at = 2; ;) {
    if (b.readUInt8(at) !== 0xff) return false;
    const marker = b.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return false;
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      hasFrame = true;
    const next = at + 2 + b.readUInt16BE(at + 2);
    if (marker === 0xda) return hasFrame && hasScanData(b, next);
    at = next;
  }
}

function hasScanData(b: Buffer, start: number): boolean {
  const end = b.indexOf(0xff, start);
  return end - start > 0 || b.readUInt8(end + 1) === 0;
}

function checkGif(b: Buffer): boolean {
  const table = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let at = 13 + table(b.readUInt8(10));
  for (;;) {
    const kind = b.readUInt8(at);
    if (kind === 0x21) at = skipBlocks(b, at + 2);
    else if (kind !== 0x2c) return false;
    else {
      const start = at + 10 + table(b.readUInt8(at + 9));
      const codeSize = b.readUInt8(start);
      // One image is enough: decoders show the images before the damage.
      return (
        codeSize >= 1 && codeSize <= 11 && b.readUInt8(start + 1) > 0 && skipBlocks(b, start + 1) <= b.length
      );
    }
  }
}

function skipBlocks(b: Buffer, start: number): number {
  let at = start;
  for (let length = b.readUInt8(at); length > 0; length = b.readUInt8(at)) at += length + 1;
  return at + 1;
}

function checkWebp(b: Buffer): boolean {
  const stop = b.readUInt32LE(4) + 8;
  for (let at = 12; at + 8 <= stop;) {
    const kind = b.toString("latin1", at, at + 4);
    const length = b.readUInt32LE(at + 4);
    if (at + 8 + length > b.length) return false;
    if (kind === "VP8 ") return b.readUIntBE(at + 11, 3) === 0x9d012a;
    if (kind === "VP8L") return b.readUInt8(at + 8) === 0x2f;
    if (kind === "ANMF") return length > 16;
    at += 8 + length + (length & 1);
  }
  return false;
}
