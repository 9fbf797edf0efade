import { effect } from "@preact/signals";

/** One key, or a sequence (`g a`). */
export interface Binding {
  keys: string;
  label: string;
  run: () => void;
}

const layers: (readonly Binding[])[] = [];
/** Milliseconds to press the second key. */
const SECOND_KEY_MS = 1_500;
let first: { key: string; at: number } | undefined;

/** Adds a layer of keys over older layers; returns a function that removes it. */
export function bindKeys(bindings: readonly Binding[]): () => void {
  layers.push(bindings);
  return () => {
    layers.splice(layers.indexOf(bindings), 1);
  };
}

export function getActiveKeys(): readonly Binding[] {
  return layers.toReversed().flat();
}

export function bindKeysWhile(condition: () => boolean, bindings: readonly Binding[]): () => void {
  return effect(() => (condition() ? bindKeys(bindings) : undefined));
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
    return;
  // Ignores repeats, and keys behind a dialog.
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

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input:not([type=checkbox]), textarea, select, .terminal") !== null)
  );
}
