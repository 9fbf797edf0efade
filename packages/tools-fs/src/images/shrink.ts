import type { Sharp, SharpConstructor } from "sharp";
import type { RawImage } from "./bitmap.ts";
import type { ImageLimits } from "./read-image.ts";

/** Pixels decoded at most: a tiny file may claim gigabytes. */
const MOST_PIXELS = 100_000_000;
/** Tried in this order until one fits; then again with smaller sides. */
const QUALITIES = [85, 70, 50];
const SHRINK_STEP = 0.75;
const LEAST_SIDE = 64;

export interface Shrunk {
  bytes: Buffer;
  mimeType: string;
  width: number;
  height: number;
}

/** `sharp`, when it is installed: an optional dependency, loaded when the first image is too large. */
export async function loadSharp(): Promise<SharpConstructor | undefined> {
  try {
    return (await import("sharp")).default;
  } catch {
    return undefined;
  }
}

/**
 * Makes an image fit the limits, on the library's own threads. It is decoded and resized once;
 * the pixels are then encoded as the type they came in, and as JPEG of falling quality and size
 * until the result is small enough. Only the first frame of an animation is kept.
 */
export async function shrink(
  sharp: SharpConstructor,
  source: Buffer | RawImage,
  mimeType: string,
  limits: ImageLimits,
): Promise<Shrunk | undefined> {
  for (let side = limits.maxSide; side >= LEAST_SIDE; side = Math.floor(side * SHRINK_STEP)) {
    const { data, info } = await open(sharp, source)
      .autoOrient()
      .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    for (const encode of encoders(mimeType, channels)) {
      const image = sharp(data, { raw: { width, height, channels } });
      const { data: bytes, info: encoded } = await encode(image).toBuffer({ resolveWithObject: true });
      if (base64Length(bytes.length) <= limits.maxBase64Bytes) {
        return { bytes, mimeType: `image/${encoded.format}`, width, height };
      }
    }
  }
  return undefined;
}

/** Length of `bytes` bytes in base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function open(sharp: SharpConstructor, source: Buffer | RawImage): Sharp {
  const common = { limitInputPixels: MOST_PIXELS, sequentialRead: true };
  if (Buffer.isBuffer(source)) return sharp(source, common);
  const { width, height, channels, pixels } = source;
  return sharp(pixels, { ...common, raw: { width, height, channels } });
}

function encoders(mimeType: string, channels: number): ((image: Sharp) => Sharp)[] {
  const jpeg = QUALITIES.map((quality) => (image: Sharp) => image.flatten({ background: "white" }).jpeg({ quality }));
  if (mimeType === "image/jpeg") return jpeg;
  if (mimeType === "image/webp") return [(image) => image.webp({ quality: 85 }), ...jpeg];
  // Photographs make poor PNG files, but transparency and sharp text are worth a try first.
  return [(image) => image.png({ compressionLevel: channels > 3 ? 6 : 4 }), ...jpeg];
}
