import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { send } from "../client/request.ts";
import { timeline } from "../strings.ts";
import { drawPicture } from "./draw-picture.ts";

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
      await drawPicture(canvas.current!, blob);
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
