import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { send } from "../client/request.ts";
import { timeline } from "../strings.ts";

/** Larger pictures are drawn smaller: a picture of anybody's must not take the memory of the page. */
const MOST_PIXELS = 1_600;

/**
 * A picture that needs the token to be fetched. It is drawn on a canvas, so that neither its address nor anything in it (scripts of
 * an SVG) becomes part of the page.
 */
export function RemoteImage({ address, label }: { address: string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = useSignal<"loading" | "shown" | "failed">("loading");
  useEffect(() => {
    const abort = new AbortController();
    const draw = async () => {
      const blob = await (await send(address, { signal: abort.signal })).blob();
      const bitmap = await createImageBitmap(blob);
      const scale = Math.min(1, MOST_PIXELS / Math.max(bitmap.width, bitmap.height));
      const element = canvas.current!;
      [element.width, element.height] = [Math.ceil(bitmap.width * scale), Math.ceil(bitmap.height * scale)];
      element.getContext("2d")!.drawImage(bitmap, 0, 0, element.width, element.height);
      bitmap.close();
      state.value = "shown";
    };
    draw().catch(() => {
      if (!abort.signal.aborted) state.value = "failed";
    });
    return () => abort.abort();
  }, [address]);
  return (
    <figure class="picture">
      <canvas ref={canvas} role="img" aria-label={label} hidden={state.value !== "shown"} />
      <figcaption class="soft small">{state.value === "failed" ? timeline.imageFailed : label}</figcaption>
    </figure>
  );
}
