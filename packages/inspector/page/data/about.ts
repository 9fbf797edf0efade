import { computed, effect, signal } from "@preact/signals";
import type { InspectorInfo } from "../../src/wire/api.ts";
import { connection, onEvent } from "../client/event-stream.ts";
import { callApi } from "../client/request.ts";

export const about = signal<InspectorInfo | undefined>(undefined);

export const mayAct = computed(() => about.value?.role === "act");

/** The page is a file without a server. */
export const isExported = computed(() => about.value?.mode === "exported");

/**
 * Increases if all data must be fetched: after the first event and after missed events. 0 before the first event: fetched data could then
 * become stale unnoticed.
 */
export const generation = signal(0);

/** The newest message until it is read. */
export const notice = signal<{ level: "info" | "warning" | "error"; message: string } | undefined>(undefined);

/** A proxy may delay the event stream; then the page starts without it. */
const WITHOUT_EVENTS_MS = 1_000;
let instance: string | undefined;

async function loadAbout(): Promise<void> {
  about.value = await callApi("GET /api/about");
}

export function watchAbout(): void {
  const begin = () => {
    if (generation.peek() === 0) generation.value = 1;
  };
  setTimeout(begin, WITHOUT_EVENTS_MS);
  effect(() => {
    if (connection.value === "lost") begin();
  });
  effect(() => {
    if (generation.value > 0) void loadAbout().catch(() => undefined);
  });
  onEvent((event) => {
    if (event.type === "hello") {
      // A continued stream contains all missed events.
      if (instance !== event.instance) generation.value++;
      else if (about.peek() === undefined) void loadAbout().catch(() => undefined);
      instance = event.instance;
    } else if (event.type === "reset") {
      generation.value++;
    } else if (event.type === "notice") {
      notice.value = event;
    }
  });
}
