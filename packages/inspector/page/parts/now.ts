import { signal } from "@preact/signals";
import { isExported } from "../data/about.ts";

/** Updates every second while the page is visible. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden && !isExported.value) now.value = Date.now();
}, 1_000);
