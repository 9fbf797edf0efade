import { words } from "../strings.ts";
import { type Binding, holdKeys } from "./key-map.ts";
import { goTo, linkTo, type View, VIEWS } from "./routes.ts";
import { nextTheme } from "./theme.ts";

/** The second key of `g …` for each view. */
export const GO_KEYS: Readonly<Record<View, string>> = {
  timeline: "t",
  approvals: "a",
  policy: "p",
  tools: "o",
  processes: "r",
  places: "s",
  ledger: "l",
  owner: "w",
};

/** Keys that hold everywhere. */
export function holdGoKeys(showKeys: () => void): () => void {
  const go = VIEWS.map((view): Binding => ({
    keys: `g ${GO_KEYS[view]}`,
    label: words.keysGo(words.views[view]),
    run: () => goTo(linkTo(view)),
  }));
  return holdKeys([
    ...go,
    { keys: "T", label: words.keysTheme, run: nextTheme },
    { keys: "?", label: words.keysHelp, run: showKeys },
  ]);
}
