import { setImmediate as nextTurn } from "node:timers/promises";

/** Pixels as they are, row by row from the top, without padding. */
export interface RawImage {
  width: number;
  height: number;
  channels: 3 | 4;
  pixels: Buffer;
}

/** Rows decoded before other work gets its turn, in pixels. */
const TURN_PIXELS = 256 * 1024;

const RGB = 0;
const BIT_FIELDS = 3;

interface Header {
  width: number;
  height: number;
  topDown: boolean;
  bits: number;
  /** Bytes from one row to the next: rows are padded to four. */
  stride: number;
  data: number;
  paletteAt: number;
  paletteEntry: 3 | 4;
  /** Red, green, blue, alpha; only for 16 and 32 bits. */
  masks: readonly number[];
}

/**
 * Decodes a Windows bitmap, which neither model providers nor the image library take. `undefined`
 * for the rare kinds (run-length encoded, embedded JPEG) and for data that ends too early.
 */
export async function decodeBitmap(bytes: Buffer): Promise<RawImage | undefined> {
  const header = readHeader(bytes);
  if (header === undefined) return undefined;
  const { width, height, stride, data, topDown, masks } = header;
  if (data + stride * height > bytes.length) return undefined;
  const channels = masks[3] ? 4 : 3;
  // Not from the shared pool: these pixels may be handed to a thread.
  const pixels = Buffer.allocUnsafeSlow(width * height * channels);
  const color = pixelReader(bytes, header);
  const turn = Math.max(1, Math.floor(TURN_PIXELS / width));
  for (let y = 0, to = 0; y < height; y += 1) {
    const row = data + stride * (topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x += 1, to += channels) {
      const rgba = color(row, x);
      pixels[to] = rgba >>> 24;
      pixels[to + 1] = (rgba >>> 16) & 0xff;
      pixels[to + 2] = (rgba >>> 8) & 0xff;
      if (channels === 4) pixels[to + 3] = rgba & 0xff;
    }
    if (y % turn === turn - 1) await nextTurn();
  }
  return { width, height, channels, pixels };
}

function readHeader(b: Buffer): Header | undefined {
  const size = b.readUInt32LE(14);
  const data = b.readUInt32LE(10);
  if (size === 12) {
    const width = b.readUInt16LE(18);
    const bits = b.readUInt16LE(24);
    const shape = {
      width,
      height: b.readUInt16LE(20),
      topDown: false,
      bits,
      stride: strideOf(width, bits),
      data,
    };
    return bits <= 8 || bits === 24 ? { ...shape, paletteAt: 26, paletteEntry: 3, masks: [] } : undefined;
  }
  const width = b.readInt32LE(18);
  const rows = b.readInt32LE(22);
  const bits = b.readUInt16LE(28);
  const compression = b.readUInt32LE(30);
  const masks = masksOf(b, size, bits, compression);
  if (masks === undefined || ![1, 4, 8, 16, 24, 32].includes(bits)) return undefined;
  return {
    width,
    height: Math.abs(rows),
    topDown: rows < 0,
    bits,
    stride: strideOf(width, bits),
    data,
    paletteAt: 14 + size,
    paletteEntry: 4,
    masks,
  };
}

function strideOf(width: number, bits: number): number {
  return Math.ceil((width * bits) / 32) * 4;
}

function masksOf(b: Buffer, size: number, bits: number, compression: number): readonly number[] | undefined {
  if (compression === BIT_FIELDS && (bits === 16 || bits === 32)) {
    const [red, green, blue] = [54, 58, 62].map((at) => b.readUInt32LE(at));
    return [red as number, green as number, blue as number, size >= 56 ? b.readUInt32LE(66) : 0];
  }
  if (compression !== RGB) return undefined;
  // The fourth byte of plain 32-bit bitmaps is unused, whatever it holds.
  return bits === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0xff00, 0xff, 0];
}

/** Reads the pixel `x` of the row at `row` as 0xRRGGBBAA (perhaps negative: use `>>>`). */
function pixelReader(b: Buffer, header: Header): (row: number, x: number) => number {
  const { bits, paletteAt, paletteEntry, masks } = header;
  if (bits <= 8) {
    const perByte = 8 / bits;
    return (row, x) => {
      const byte = b[row + Math.floor(x / perByte)] as number;
      const index = (byte >>> (8 - bits * ((x % perByte) + 1))) & ((1 << bits) - 1);
      const at = paletteAt + index * paletteEntry;
      return pack(b[at + 2], b[at + 1], b[at], 255);
    };
  }
  if (bits === 24) {
    return (row, x) => pack(b[row + x * 3 + 2], b[row + x * 3 + 1], b[row + x * 3], 255);
  }
  const [red, green, blue, alpha] = masks.map(channelReader) as [Channel, Channel, Channel, Channel];
  const bytes = bits / 8;
  return (row, x) => {
    const value = bytes === 2 ? b.readUInt16LE(row + x * 2) : b.readUInt32LE(row + x * 4);
    return pack(red(value), green(value), blue(value), alpha(value));
  };
}

type Channel = (value: number) => number;

/** Extracts the bits of a mask and scales them to 0–255. */
function channelReader(mask: number): Channel {
  if (mask === 0) return () => 255;
  const shift = 31 - Math.clz32(mask & -mask);
  const most = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / most);
}

function pack(red = 0, green = 0, blue = 0, alpha = 255): number {
  return (red << 24) | (green << 16) | (blue << 8) | alpha;
}
