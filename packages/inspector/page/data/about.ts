import { computed, signal } from "@preact/signals";
import type { About } from "../../src/wire/api.ts";
import { onEvent } from "../client/event-stream.ts";
import { ask } from "../client/request.ts";

/** Of what this page shows something, and for whom; absent until the server said so. */
export const about = signal<About | undefined>(undefined);

/** Whether this page may decide, or looks only. */
export const mayAct = computed(() => about.value?.role === "act");

/** Counts how often all that is shown has to be fetched anew: events were missed, or the server is another one. */
export const generation = signal(0);

/** The newest message about what is behind the page, until it is read. */
export const notice = signal<{ level: "info" | "warning" | "error"; message: string } | undefined>(undefined);

let instance: string | undefined;

/** Asks once, and again when the server was started anew. */
export async function loadAbout(): Promise<void> {
  about.value = await ask("GET /api/about");
}

/** Hears of restarts, gaps and notices. */
export function watchAbout(): void {
  onEvent((event) => {
    if (event.type === "hello") {
      if (instance !== undefined && instance !== event.instance) {
        generation.value++;
        void loadAbout().catch(() => undefined);
      }
      instance = event.instance;
    } else if (event.type === "reset") {
      generation.value++;
    } else if (event.type === "notice") {
      notice.value = event;
    }
  });
}
