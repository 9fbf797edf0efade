import { computed, effect, signal } from "@preact/signals";
import type { InspectorInfo } from "../../src/wire/api.ts";
import { connection, onEvent } from "../client/event-stream.ts";
import { callApi } from "../client/request.ts";

export const about = signal<InspectorInfo | undefined>(undefined);

export const mayAct = computed(() => about.value?.role === "act");

export const isExported = computed(() => about.value?.mode === "exported");

/**
 * Increases if all data must be fetched: at the first event and after missed events. 0 before the first
 * event, while fetched data could become stale.
 */
export const generation = signal(0);

/** The newest message until it is read. */
export const notice = signal<{ level: "info" | "warning" | "error"; message: string } | undefined>(undefined);

/** The page starts without events if a proxy delays them. */
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
      // A continued stream misses no events.
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
