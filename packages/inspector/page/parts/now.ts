import { signal } from "@preact/signals";
import { isExported } from "../data/about.ts";

/** The time, every second, while the page is looked at: for what runs and what waits. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden && !isExported.value) now.value = Date.now();
}, 1_000);
