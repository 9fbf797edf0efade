export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Size in pixels as the header gives it, or `undefined` when the header is damaged or the data
 * visibly ends too early. Nothing is decoded.
 */
export function imageSize(bytes: Buffer, mimeType: string): ImageSize | undefined {
  try {
    const size = READERS[mimeType]?.(bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // Every read past the end of the buffer means the same: the header is cut off.
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

/** Walks the segments to the start-of-frame; C4, C8 and CC are no frames. */
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
