import { effect } from "@preact/signals";
import { waitingCount } from "../data/approvals.ts";
import { words } from "../strings/frame.ts";
import { route } from "./routes.ts";

/** The title of the tab: how many calls wait, and where the page is. */
export function keepTitle(): () => void {
  return effect(() => {
    const waiting = waitingCount.value;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${words.views[route.value.view]} · ${words.product}`;
  });
}
