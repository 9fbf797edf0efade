import { effect } from "@preact/signals";

/** One key, or two after each other (`g a`), and what it does. */
export interface Binding {
  keys: string;
  /** In the list of keys. */
  label: string;
  run: () => void;
}

const layers: (readonly Binding[])[] = [];
/** How long the first of two keys waits for the second. */
const SECOND_KEY_MS = 1_500;
let first: { key: string; at: number } | undefined;

/** Holds keys while a view is there; the newest layer is asked first. Returns what lets them go. */
export function bindKeys(bindings: readonly Binding[]): () => void {
  layers.push(bindings);
  return () => {
    layers.splice(layers.indexOf(bindings), 1);
  };
}

/** All that hold now, those of the view first. */
export function getActiveKeys(): readonly Binding[] {
  return layers.toReversed().flat();
}

/** Keys for as long as `condition` says so. */
export function bindKeysWhile(condition: () => boolean, bindings: readonly Binding[]): () => void {
  return effect(() => (condition() ? bindKeys(bindings) : undefined));
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
    return;
  // One that is held down was meant once; what is behind a dialog is not looked at.
  if (event.repeat || document.querySelector("dialog[open]") !== null) return;
  const pair =
    first !== undefined && event.timeStamp - first.at < SECOND_KEY_MS ? `${first.key} ${event.key}` : "";
  first = undefined;
  const found = find(pair) ?? find(event.key);
  if (found !== undefined) {
    event.preventDefault();
    found.run();
  } else if (getActiveKeys().some(({ keys }) => keys.startsWith(`${event.key} `))) {
    first = { key: event.key, at: event.timeStamp };
  }
});

function find(keys: string): Binding | undefined {
  return getActiveKeys().find((binding) => binding.keys === keys);
}

/** Keys are text where text is typed, and a terminal's own in a terminal. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input:not([type=checkbox]), textarea, select, .terminal") !== null)
  );
}
