import { Dialog } from "../parts/dialog.tsx";
import { words } from "../strings/frame.ts";
import { heldKeys } from "./key-map.ts";

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const inLists = [
    { keys: "↑ ↓", label: words.keysMove },
    { keys: "Enter", label: words.keysOpen },
    { keys: "Esc", label: words.keysBack },
  ];
  // Of those with the same keys the first one is asked.
  const held = new Map(
    heldKeys()
      .filter(({ keys }) => keys !== "Escape")
      .toReversed()
      .map((binding) => [binding.keys, binding]),
  );
  return (
    <Dialog title={words.keysTitle} onClose={onClose}>
      <dl class="keys">
        {[...held.values(), ...inLists].map(({ keys, label }) => (
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
