import { signal } from "@preact/signals";
import { isExported } from "../data/about.ts";

/** Updates each second while visible. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden && !isExported.value) now.value = Date.now();
}, 1_000);
