import { deflateRawSync } from "node:zlib";
import type { Sharp, SharpConstructor } from "sharp";
import { base64Length, type ImageLimits } from "./image-facts.ts";

/** Limits decoded pixels, because a tiny file may declare gigabytes. */
const MOST_PIXELS = 100_000_000;
/** Tried in this order, then again with smaller sides. */
const QUALITIES = [85, 70, 50];
const SHRINK_STEP = 0.75;
const LEAST_SIDE = 64;
/** Pixel samples that estimate the size of a PNG. */
const SAMPLE_BYTES = 16 * 1024;
const SAMPLES = 8;
/** Limits the gain of slow compression over the samples. */
const SLOW_GAIN = 1.5;

export interface ShrinkJob {
  source: Uint8Array;
  mimeType: string;
  limits: ImageLimits;
}

interface Shrunk {
  kind: "shrunk";
  bytes: Uint8Array;
  mimeType: string;
  width: number;
  height: number;
}

/** `missing`: the optional package `sharp` is not installed. `impossible`: no result fits the limits. */
export type ShrinkAnswer = Shrunk | { kind: "missing" } | { kind: "impossible" };

/**
 * Resizes once, then encodes in the original type and as JPEG with decreasing quality and size. Keeps only the first frame of an animation.
 */
export async function shrink({ source, mimeType, limits }: ShrinkJob): Promise<ShrinkAnswer> {
  const sharp = await loadSharp();
  if (sharp === undefined) return { kind: "missing" };
  for (let side = limits.maxSide; side >= LEAST_SIDE; side = Math.floor(side * SHRINK_STEP)) {
    const { data, info } = await sharp(source, { limitInputPixels: MOST_PIXELS })
      .autoOrient()
      .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const pngMayFit = () => base64Length(pngLength(data)) <= SLOW_GAIN * limits.maxBase64Bytes;
    for (const encode of encoders(mimeType, pngMayFit)) {
      const image = encode(sharp(data, { raw: { width, height, channels } }));
      const { data: bytes, info: encoded } = await image.toBuffer({ resolveWithObject: true });
      if (base64Length(bytes.length) <= limits.maxBase64Bytes) {
        return { kind: "shrunk", bytes, mimeType: `image/${encoded.format}`, width, height };
      }
    }
  }
  return { kind: "impossible" };
}

/** Estimates, because encoding takes as long as everything else. */
function pngLength(pixels: Buffer): number {
  const step = Math.max(SAMPLE_BYTES, Math.floor(pixels.length / SAMPLES));
  let taken = 0;
  let size = 0;
  for (let at = 0; at < pixels.length; at += step) {
    const sample = pixels.subarray(at, at + SAMPLE_BYTES);
    taken += sample.length;
    size += deflateRawSync(sample, { level: 1 }).length;
  }
  return Math.ceil((size / taken) * pixels.length);
}

async function loadSharp(): Promise<SharpConstructor | undefined> {
  return import("sharp").then((module) => module.default).catch(() => undefined);
}

/** PNG is tried first for transparency and sharp text. */
function encoders(mimeType: string, pngMayFit: () => boolean): ((image: Sharp) => Sharp)[] {
  const jpeg = QUALITIES.map(
    (quality) => (image: Sharp) => image.flatten({ background: "white" }).jpeg({ quality }),
  );
  if (mimeType === "image/jpeg") return jpeg;
  if (mimeType === "image/webp") return [(image) => image.webp({ quality: 85 }), ...jpeg];
  return pngMayFit() ? [(image) => image.png(), ...jpeg] : jpeg;
}
