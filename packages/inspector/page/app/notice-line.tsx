import { notice } from "../data/about.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { escapeInvisible } from "../parts/text/escape-invisible.ts";
import { words } from "../strings/frame.ts";

export function NoticeLine() {
  const shown = notice.value;
  if (shown === undefined) return null;
  return (
    <div class={`notice-line ${shown.level === "info" ? "note" : shown.level}`} role="status">
      <Icon name={shown.level === "info" ? "fact" : "warning"} />
      <span class="grow text">{escapeInvisible(shown.message)}</span>
      <Button
        look="plain small"
        icon="close"
        aria-label={words.close}
        onClick={() => (notice.value = undefined)}
      />
    </div>
  );
}
