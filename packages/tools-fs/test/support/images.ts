import { deflateSync, crc32 } from "node:zlib";

/** A picture of a red-to-blue slope, as a file. A tiny encoder, so that no test depends on a library. */
export function pngImage(width: number, height: number): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows.set(slope(x, width), y * (width * 3 + 1) + 1 + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const frame = Buffer.alloc(data.length + 12);
  frame.writeUInt32BE(data.length, 0);
  frame.write(name, 4, "latin1");
  data.copy(frame, 8);
  frame.writeUInt32BE(crc32(frame.subarray(4, data.length + 8)), data.length + 8);
  return frame;
}

function slope(x: number, width: number): [red: number, green: number, blue: number] {
  const blue = Math.round((255 * x) / Math.max(1, width - 1));
  return [255 - blue, 0, blue];
}

/** A bitmap as Windows writes it. */
export function bmpImage(width: number, height: number): Buffer {
  const stride = Math.ceil((width * 24) / 32) * 4;
  const file = Buffer.alloc(54 + stride * height);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  return file;
}

/** One red pixel. */
export const GIF_PIXEL = Buffer.from("R0lGODdhAQABAIAAAP8AAP8AACwAAAAAAQABAAACAkQBADs=", "base64");
