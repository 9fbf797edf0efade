import { pictureSize } from "./picture-size.ts";

/** Larger pictures are drawn smaller: a canvas of their own size would be kept as long as the page shows it. */
const MOST_SIDE = 1_600;
/** Four bytes each while they are decoded. A file of a few kilobytes can have more than any machine has room for. */
const MOST_PIXELS = 64_000_000;

export class PictureTooLarge extends Error {
  readonly pixels: string;

  constructor(width: number, height: number) {
    super(`${width} × ${height}`);
    this.pixels = this.message;
  }
}

/**
 * Draws a picture of anybody's, so that nothing in it (scripts of an SVG) becomes part of the page.
 *
 * @throws PictureTooLarge before any of it is decoded
 */
export async function drawPicture(canvas: HTMLCanvasElement, picture: Blob): Promise<void> {
  const size = pictureSize(new Uint8Array(await picture.arrayBuffer()));
  if (size === undefined) throw new TypeError("It is no picture that can be drawn.");
  const { width, height } = size;
  if (width * height > MOST_PIXELS) throw new PictureTooLarge(width, height);
  const scale = Math.min(1, MOST_SIDE / Math.max(width, height));
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const smaller =
    scale < 1 ? { resizeWidth: across, resizeHeight: down, resizeQuality: "medium" as const } : {};
  const bitmap = await createImageBitmap(picture, smaller);
  // As it was decoded: its own header may turn it.
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0);
  bitmap.close();
}
