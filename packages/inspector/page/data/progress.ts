import { signal } from "@preact/signals";
import { onEvent } from "../client/event-stream.ts";

/** Calls. */
const MAX = 200;

/** By {@link progressKey}. */
export const progress = signal<ReadonlyMap<string, string>>(new Map());

export function progressKey({ runId, toolCallId }: { runId: string; toolCallId: string }): string {
  return `${runId} ${toolCallId}`;
}

export function watchProgress(): void {
  const received = new Map<string, string>();
  let isDue = false;
  onEvent((event) => {
    if (event.type === "progress") {
      const key = progressKey(event);
      received.delete(key);
      if (event.text !== "") received.set(key, event.text);
      if (received.size > MAX) received.delete(received.keys().next().value!);
    } else if (event.type !== "call" || event.call.endedAt === undefined) return;
    else if (!received.delete(progressKey(event.call))) return;
    if (isDue) return;
    isDue = true;
    // Once per frame.
    requestAnimationFrame(() => {
      isDue = false;
      progress.value = new Map(received);
    });
  });
}
