import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { timeline } from "../../strings/calls.ts";

interface PictureProps {
  load: (signal: AbortSignal) => Promise<Blob>;
  label: string;
}

export function Picture({ load, label }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isShown = useSignal(false);
  const trouble = useSignal("");
  useEffect(() => {
    const abort = new AbortController();
    const draw = async () => {
      try {
        const picture = await load(abort.signal);
        if (canvas.current !== null) await drawPicture(canvas.current, picture);
        isShown.value = true;
      } catch (thrown) {
        if (abort.signal.aborted) return;
        trouble.value =
          thrown instanceof PictureTooLarge ? timeline.imageTooLarge(thrown.pixels) : timeline.imageFailed;
      }
    };
    void draw();
    return () => abort.abort();
  }, []);
  return (
    <figure class="picture">
      <canvas ref={canvas} role="img" aria-label={label} hidden={!isShown.value} />
      <figcaption class="soft small">
        {label}
        {trouble.value !== "" && ` — ${trouble.value}`}
      </figcaption>
    </figure>
  );
}

/** Scaling down saves memory. */
const MAX_SIDE = 1_600;
/** Four bytes each; small files can have huge images. */
const MAX_PIXELS = 64_000_000;

class PictureTooLarge extends Error {
  readonly pixels: string;

  constructor(width: number, height: number) {
    super(`${width} × ${height}`);
    this.pixels = this.message;
  }
}

/**
 * Draws an image, so that SVG scripts cannot run.
 *
 * @throws PictureTooLarge before decoding
 */
async function drawPicture(canvas: HTMLCanvasElement, picture: Blob): Promise<void> {
  const size = pictureSize(new Uint8Array(await picture.arrayBuffer()));
  if (size === undefined) throw new TypeError("The image format is not supported.");
  const { width, height } = size;
  if (width * height > MAX_PIXELS) throw new PictureTooLarge(width, height);
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const smaller =
    scale < 1 ? { resizeWidth: across, resizeHeight: down, resizeQuality: "medium" as const } : {};
  const bitmap = await createImageBitmap(picture, smaller);
  // Headers can rotate images.
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0);
  bitmap.close();
}

interface PictureSize {
  width: number;
  height: number;
}

/** Reads first bytes of PNG, JPEG, GIF or WebP. */
function pictureSize(bytes: Uint8Array<ArrayBuffer>): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  try {
    if (word(1).startsWith("PNG")) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (word(0) === "GIF8") return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (word(0) === "RIFF" && word(8) === "WEBP") return webp(view, word(12));
    if (view.getUint16(0) === 0xffd8) return jpeg(view);
  } catch (thrown) {
    // The header is incomplete.
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

/** C4, C8 and CC are other tables. */
function jpeg(view: DataView): PictureSize {
  let at = 2;
  for (;;) {
    const marker = view.getUint8(at + 1);
    const isSize = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isSize) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // Padding.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
}
