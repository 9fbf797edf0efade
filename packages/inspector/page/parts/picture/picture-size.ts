export interface PictureSize {
  width: number;
  height: number;
}

/** Reads how large a picture is from its first bytes, whatever it says it is; `undefined` for what is none of PNG, JPEG, GIF and WebP. */
export function pictureSize(bytes: Uint8Array<ArrayBuffer>): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  try {
    if (word(1).startsWith("PNG")) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (word(0) === "GIF8") return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (word(0) === "RIFF" && word(8) === "WEBP") return webp(view, word(12));
    if (view.getUint16(0) === 0xffd8) return jpeg(view);
  } catch (thrown) {
    // It ends within its own beginning.
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return undefined;
}

function webp(view: DataView, chunk: string): PictureSize | undefined {
  if (chunk === "VP8 ")
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk === "VP8L") {
    const packed = view.getUint32(21, true);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
  return chunk === "VP8X" ? { width: three(24), height: three(27) } : undefined;
}

/** Goes from part to part until the one with the size; C4, C8 and CC are other tables. */
function jpeg(view: DataView): PictureSize {
  let at = 2;
  for (;;) {
    const marker = view.getUint8(at + 1);
    const isSize = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isSize) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // A marker may have filling before it.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
}
