import { wrapLanguageModel } from "ai";
import type { AgentModel } from "./agent-model.ts";
import { StallClock } from "./stall-clock.ts";
import { uniqueCallIds } from "./unique-call-ids.ts";

/**
 * The same model, not waited for without an end, and with ids of calls that are unique.
 *
 * @param options.stallMs milliseconds it may say nothing
 * @param options.taken ids of the conversation's calls so far; those of new ones are added
 */
export function watchedModel(
  model: AgentModel,
  { stallMs, taken }: { stallMs: number; taken: Set<string> },
): AgentModel {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v4",
      async wrapStream({ model: inner, params }) {
        const clock = new StallClock(stallMs);
        const { abortSignal } = params;
        const signal =
          abortSignal === undefined ? clock.signal : AbortSignal.any([abortSignal, clock.signal]);
        // Then nobody reads on, and nothing ends the stream.
        abortSignal?.addEventListener("abort", () => clock.stop(), { once: true });
        try {
          const { stream, ...rest } = await inner.doStream({ ...params, abortSignal: signal });
          return { ...rest, stream: stream.pipeThrough(timed(clock)).pipeThrough(uniqueCallIds(taken)) };
        } catch (thrown) {
          clock.stop();
          throw clock.signal.aborted ? clock.signal.reason : thrown;
        }
      },
    },
  });
}

/**
 * Hands on what comes, and fails when nothing does. However it ends, nothing of it holds the process: neither the clock nor a
 * connection that stays open behind an error.
 */
function timed<Part extends { type: string }>(clock: StallClock): TransformStream<Part, Part> {
  return new TransformStream<Part, Part>({
    start(controller) {
      clock.signal.addEventListener("abort", () => controller.error(clock.signal.reason), { once: true });
    },
    transform(part, controller) {
      // Behind it come the calls, which have all the time they need.
      if (part.type === "finish" || part.type === "error") clock.stop();
      else clock.restart();
      controller.enqueue(part);
      // Nothing that comes behind it counts.
      if (part.type === "error") controller.terminate();
    },
    flush: () => clock.stop(),
    // The connection broke, or nobody reads on.
    cancel: () => clock.stop(),
  });
}
