import { signal } from "@preact/signals";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { InspectorEvent } from "../../src/wire/api.ts";
import { BackOff, pause } from "./back-off.ts";
import { RequestError, send } from "./request.ts";

/** `catching-up`: fetches missed events. */
export type StreamConnection = "connecting" | "live" | "lost" | "catching-up" | "refused";

export const connection = signal<StreamConnection>("connecting");

/** The server sends every 15 seconds. */
const SILENT_MS = 40_000;

type Listener = (event: InspectorEvent) => void;
const listeners = new Set<Listener>();

/** Returns a function that stops it. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Missed events come first. */
export async function followEvents(closing: AbortSignal): Promise<void> {
  const backOff = new BackOff();
  let last: string | undefined;
  while (!closing.aborted) {
    const silence = new AbortController();
    try {
      for await (const { id, event } of read(last, AbortSignal.any([closing, silence.signal]), silence)) {
        backOff.reset();
        last = id ?? last;
        connection.value = "live";
        notify(event);
      }
    } catch (thrown) {
      if (thrown instanceof RequestError && thrown.status === 401) {
        connection.value = "refused";
        return;
      }
    }
    if (closing.aborted) return;
    connection.value = "lost";
    await pause(backOff.next(), closing);
  }
}

/** One listener's error does not affect others. */
function notify(event: InspectorEvent): void {
  for (const listener of listeners) {
    try {
      listener(event);
    } catch (thrown) {
      reportError(thrown);
    }
  }
}

/** `EventSource` cannot send the token header. */
async function* read(last: string | undefined, ending: AbortSignal, silence: AbortController) {
  const headers = last === undefined ? {} : { "last-event-id": last };
  const response = await send("./api/events", { headers, signal: ending });
  if (last !== undefined) connection.value = "catching-up";
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const text = response.body!.pipeThrough(new TextDecoderStream());
  let timer = 0;
  try {
    for await (const piece of chunksOf(text, () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
    })) {
      parser.feed(piece);
      for (const { id, data } of messages.splice(0))
        yield { ...(id === undefined ? {} : { id }), event: JSON.parse(data) as InspectorEvent };
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Some browsers cannot iterate over streams. */
async function* chunksOf(stream: ReadableStream<string>, onWait: () => void): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      onWait();
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
    void stream.cancel().catch(() => undefined);
  }
}
