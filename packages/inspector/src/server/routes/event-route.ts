import { inspectorError } from "../../errors.ts";
import { eventStream } from "../../events/event-stream.ts";
import type { App, AppParts } from "../app-parts.ts";
import { bad, Query } from "../read-request.ts";
import { signalOf } from "./call-routes.ts";

const MOST_STREAMS = 32;

export function addEventRoute(app: App, { tokens, ring, closing }: AppParts): void {
  let open = 0;
  app.get("/api/events", (context) => {
    void new Query(context, []);
    const lastId = context.req.header("last-event-id");
    if (lastId !== undefined && lastId.length > 100) throw bad("Last-Event-ID is no id of an event.");
    if (open >= MOST_STREAMS)
      throw inspectorError("INSPECT_BUSY", `${MOST_STREAMS} streams of events are open already.`);
    open++;
    const signal = signalOf(context, closing);
    let isOver = false;
    const over = () => {
      if (!isOver) open--;
      isOver = true;
    };
    signal.addEventListener("abort", over, { once: true });
    const { instance } = tokens;
    const stream = eventStream(ring, { role: context.get("role"), instance, lastId, signal, over });
    return context.body(stream, 200, {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
    });
  });
}
