import { Dialog } from "../parts/dialog.tsx";
import { words } from "../strings.ts";
import { heldKeys } from "./key-map.ts";

/** Every key that does something here. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const inLists = [
    { keys: "↑ ↓ j k", label: words.keysMove },
    { keys: "Enter", label: words.keysOpen },
    { keys: "Esc", label: words.keysBack },
  ];
  return (
    <Dialog title={words.keysTitle} onClose={onClose}>
      <dl class="keys">
        {[...heldKeys().filter(({ keys }) => keys !== "Escape"), ...inLists].map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
