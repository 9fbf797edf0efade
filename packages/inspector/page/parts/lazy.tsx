import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { words } from "../strings/frame.ts";
import { Button } from "./button.tsx";

export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const state = useSignal<"loading" | "there" | "failed">(loaded === undefined ? "loading" : "there");
    useEffect(() => {
      if (state.value !== "loading") return;
      const fetchIt = async () => {
        try {
          loaded = await load();
          state.value = "there";
        } catch {
          state.value = "failed";
        }
      };
      void fetchIt();
    }, [state.value]);
    if (state.value === "failed")
      return (
        <div class="empty" role="alert">
          <strong>{words.unreachable}</strong>
          <Button text={words.retry} onClick={() => (state.value = "loading")} />
        </div>
      );
    const Component = loaded;
    return Component === undefined ? <p class="loading soft">{words.loading}</p> : <Component {...props} />;
  };
}
