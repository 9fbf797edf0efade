import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { timeline } from "../../strings/calls.ts";
import { drawPicture, PictureTooLarge } from "./draw-picture.ts";

interface PictureProps {
  /** Its bytes, asked for once. */
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
