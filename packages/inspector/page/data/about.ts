import { computed, effect, signal } from "@preact/signals";
import type { InspectorInfo } from "../../src/wire/api.ts";
import { connection, onEvent } from "../client/event-stream.ts";
import { callApi } from "../client/request.ts";

export const about = signal<InspectorInfo | undefined>(undefined);

export const mayAct = computed(() => about.value?.role === "act");

/** Whether this page is a file with its data inside, with no server behind it. */
export const isExported = computed(() => about.value?.mode === "exported");

/**
 * Counts how often all that is shown has to be fetched: once events are heard, and anew whenever some were missed. At 0 nothing is
 * fetched, since what happens between an answer and the first event would be lost.
 */
export const generation = signal(0);

/** The newest message about what is behind the page, until it is read. */
export const notice = signal<{ level: "info" | "warning" | "error"; message: string } | undefined>(undefined);

/** Where nothing comes by the stream of events (a server before this one may keep it back), the page shows what it is told without it. */
const WITHOUT_EVENTS_MS = 1_000;
let instance: string | undefined;

async function loadAbout(): Promise<void> {
  about.value = await callApi("GET /api/about");
}

/** Hears of the beginning, of gaps and of notices. */
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
      // One that goes on where it was cut off tells what was missed; of any other nobody knows.
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
