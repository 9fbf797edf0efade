import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { isSoundImage } from "../../src/images/check-image.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=", "base64");
const WEBP = Buffer.from("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=", "base64");
const JPEG = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////" +
    "wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AKp//2Q==",
  "base64",
);
const IMAGES = { "image/png": PNG, "image/gif": GIF, "image/webp": WEBP, "image/jpeg": JPEG };

it.each(Object.entries(IMAGES))("accepts an image: %s", async (type, bytes) => {
  expect(await isSoundImage(bytes, type)).toBe(true);
});

it.each(Object.entries(IMAGES))("rejects an image that was cut before its data: %s", async (type, bytes) => {
  const data = { "image/png": 41, "image/gif": 30, "image/webp": 20, "image/jpeg": bytes.length - 6 }[type]!;
  for (let end = 12; end < data; end += 1)
    expect(await isSoundImage(bytes.subarray(0, end), type), `${end} bytes`).toBe(false);
});

function changed(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

it.each([
  ["a wrong checksum of the header", "image/png", changed(PNG, 29, PNG[29]! ^ 1)],
  ["noise for pixel data", "image/png", changed(PNG, 45, PNG[45]! ^ 0xff)],
  ["too few pixels", "image/png", changed(changed(PNG, 19, 9), 23, 9)],
  ["an unknown color type", "image/png", changed(PNG, 25, 5)],
  ["no image block", "image/gif", Buffer.from([...GIF.subarray(0, 19), 0x3b])],
  ["an impossible code size", "image/gif", changed(GIF, 29, 99)],
  ["no key frame", "image/webp", changed(WEBP, 23, 0)],
  [
    "no scan",
    "image/jpeg",
    Buffer.from([...JPEG.subarray(0, JPEG.indexOf(Buffer.from([0xff, 0xda]))), 0xff, 0xd9]),
  ],
  ["no frame", "image/jpeg", changed(JPEG, JPEG.indexOf(Buffer.from([0xff, 0xc0])) + 1, 0xe5)],
])("rejects an image with %s", async (_, type, bytes) => {
  expect(await isSoundImage(bytes, type)).toBe(false);
});

it("accepts optional chunks with a wrong checksum, as decoders do", async () => {
  const chunk = Buffer.from([0, 0, 0, 0, ...Buffer.from("tEXt"), 1, 2, 3, 4]);
  expect(await isSoundImage(Buffer.concat([PNG.subarray(0, 33), chunk, PNG.subarray(33)]), "image/png")).toBe(
    true,
  );
});

it("does not decompress more than the dimensions need", async () => {
  const bomb = deflateSync(Buffer.alloc(50_000_000));
  const { crc32 } = await import("node:zlib");
  const body = Buffer.concat([Buffer.from("IDAT"), bomb]);
  const size = Buffer.alloc(8);
  size.writeUInt32BE(bomb.length, 0);
  size.writeUInt32BE(crc32(body), 4);
  const idat = Buffer.concat([size.subarray(0, 4), body, size.subarray(4)]);
  const image = Buffer.concat([PNG.subarray(0, 33), idat, PNG.subarray(-12)]);
  expect(await isSoundImage(image, "image/png")).toBe(false);
});
