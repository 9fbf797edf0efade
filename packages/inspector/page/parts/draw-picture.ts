/** Larger pictures are drawn smaller: a canvas of their own size would be kept as long as the page shows it. */
const MOST_PIXELS = 1_600;

/** Draws a picture of anybody's, so that nothing in it (scripts of an SVG) becomes part of the page. */
export async function drawPicture(canvas: HTMLCanvasElement, picture: Blob): Promise<void> {
  const bitmap = await createImageBitmap(picture);
  const scale = Math.min(1, MOST_PIXELS / Math.max(bitmap.width, bitmap.height));
  [canvas.width, canvas.height] = [Math.ceil(bitmap.width * scale), Math.ceil(bitmap.height * scale)];
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
}
