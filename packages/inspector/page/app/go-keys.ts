import { words } from "../strings/frame.ts";
import { type Binding, bindKeys } from "./key-map.ts";
import { goTo, linkTo, type RouteView } from "./routes.ts";
import { nextTheme } from "./theme.ts";

/** The second key of `g …`. */
export const GO_KEYS: Readonly<Record<RouteView, string>> = {
  timeline: "t",
  approvals: "a",
  policy: "p",
  tools: "o",
  processes: "r",
  places: "s",
  ledger: "l",
  owner: "w",
};

export function bindGoKeys(views: readonly RouteView[], showKeys?: () => void): () => void {
  const go = views.map((view): Binding => ({
    keys: `g ${GO_KEYS[view]}`,
    label: words.keysGo(words.views[view]),
    run: () => goTo(linkTo(view)),
  }));
  return bindKeys([
    ...go,
    { keys: "j", label: words.keysNext, run: () => moveInList("j") },
    { keys: "k", label: words.keysBefore, run: () => moveInList("k") },
    { keys: "T", label: words.keysTheme, run: nextTheme },
    ...(showKeys === undefined ? [] : [{ keys: "?", label: words.keysHelp, run: showKeys }]),
  ]);
}

/** Phones may hide the list. */
function moveInList(key: string): void {
  const list = [...document.querySelectorAll<HTMLElement>("main .list:not(.past .list)")].at(-1);
  list?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}
