import { inspectorError } from "../../errors.ts";
import { eventStream } from "../../events/event-stream.ts";
import type { App, AppContext } from "../app-context.ts";
import { createBadRequest, Query } from "../read-request.ts";
import { getRequestSignal } from "./call-routes.ts";

const MAX_STREAMS = 32;

export function addEventRoute(app: App, { tokens, ring, closing }: AppContext): void {
  let open = 0;
  app.get("/api/events", (context) => {
    void new Query(context, []);
    const lastId = context.req.header("last-event-id");
    if (lastId !== undefined && lastId.length > 100)
      throw createBadRequest("Last-Event-ID is not a valid event id.");
    if (open >= MAX_STREAMS)
      throw inspectorError("INSPECT_BUSY", `${MAX_STREAMS} event streams are already open.`);
    open++;
    const signal = getRequestSignal(context, closing);
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
