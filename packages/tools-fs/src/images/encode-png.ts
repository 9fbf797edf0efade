import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import type { RawImage } from "./bitmap.ts";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** A PNG file of the pixels; compressed off the event loop. */
export async function encodePng({ width, height, channels, pixels }: RawImage): Promise<Buffer> {
  const row = width * channels;
  // Every row begins with its filter: 0, none.
  const rows = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y += 1) pixels.copy(rows, y * (row + 1) + 1, y * row, (y + 1) * row);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 4 ? 6 : 2], 8);
  const data = await promisify(deflate)(rows);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}
