import type { InspectorEvent, Role } from "../wire/api.ts";
import { type EventRing, formatFrame } from "./event-ring.ts";

/** Interval of comments that keep the stream alive. */
const ALIVE_MS = 15_000;

interface Reader {
  role: Role;
  instance: string;
  /** The last event's id of an earlier stream. */
  lastId: string | undefined;
  signal: AbortSignal;
  /** Called at the stream's end. */
  over: () => void;
}

/** Streams events on demand: a stalled connection has one piece in memory, and later continues or learns that it is behind. */
export function eventStream(
  ring: EventRing,
  { role, instance, lastId, signal, over: done }: Reader,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const known = lastId === undefined ? ring.last : ring.parseId(lastId);
  let number = known ?? ring.last;
  const id = `${instance}.${number}`;
  const hello: InspectorEvent = { type: "hello", instance, role, now: Date.now() };
  let first = formatFrame(hello, id) + (known === undefined ? reset("restarted", id) : "");
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        if (first !== "") {
          send(first);
          first = "";
          return;
        }
        const after = ring.after(number, role) ?? (await untilNext());
        if (over.aborted) {
          done();
          return controller.close();
        }
        if (after === undefined) return send(": alive\n\n");
        if (after === "behind") {
          number = ring.last;
          return send(reset("behind", `${instance}.${number}`));
        }
        number = after.last;
        send(after.text);
      },
      cancel() {
        ended.abort();
        done();
      },
    },
    { highWaterMark: 0 },
  );

  async function untilNext() {
    await ring.next(AbortSignal.any([over, AbortSignal.timeout(ALIVE_MS)]));
    return ring.after(number, role);
  }
}

function reset(why: "restarted" | "behind", id: string): string {
  const event: InspectorEvent = { type: "reset", why };
  return formatFrame(event, id);
}
