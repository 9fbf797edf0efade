import { wrapLanguageModel } from "ai";
import { chatError } from "../errors.ts";
import type { AgentModel } from "./agent-model.ts";

/**
 * Adds a stall timeout and unique call ids.
 *
 * @param options.stallMs milliseconds without output
 * @param options.taken the conversation's call ids, with new ids added
 */
export function watchModel(
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

/** Fails if no part arrives in time. Stops the timer and stream at every end: an open connection would keep the process alive. */
function timed<Part extends { type: string }>(clock: StallClock): TransformStream<Part, Part> {
  return new TransformStream<Part, Part>({
    start(controller) {
      clock.signal.addEventListener("abort", () => controller.error(clock.signal.reason), { once: true });
    },
    transform(part, controller) {
      // Calls have no time limit here.
      if (part.type === "finish" || part.type === "error") clock.stop();
      else clock.restart();
      controller.enqueue(part);
      // Parts after an error are invalid.
      if (part.type === "error") controller.terminate();
    },
    flush: () => clock.stop(),
    cancel: () => clock.stop(),
  });
}

class StallClock {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stalled(), this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #stalled(): void {
    const seconds = Math.round(this.#ms / 1_000);
    const span = seconds < 1 ? `${this.#ms} ms` : `${seconds} s`;
    this.#controller.abort(
      chatError("MODEL_FAILED", `The model's endpoint sent nothing for ${span}.`, {
        details: { reason: "stalled" },
        fix: "Send the message again, or set a longer --timeout.",
      }),
    );
  }
}

type StreamPart =
  Awaited<ReturnType<AgentModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * Makes call ids unique: the ledger accepts each once, and providers reject duplicates. Some endpoints repeat
 * ids or send none.
 */
function uniqueCallIds(taken: Set<string>): TransformStream<StreamPart, StreamPart> {
  const writing = new Map<string, string>();
  const begin = (id: string) => {
    const unique = freeId(id, taken);
    taken.add(unique);
    writing.set(id, unique);
    return unique;
  };
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "tool-input-start") controller.enqueue({ ...part, id: begin(part.id) });
      else if (part.type === "tool-input-delta" || part.type === "tool-input-end")
        controller.enqueue({ ...part, id: writing.get(part.id) ?? part.id });
      else if (part.type === "tool-call") {
        const toolCallId = writing.get(part.toolCallId) ?? begin(part.toolCallId);
        writing.delete(part.toolCallId);
        controller.enqueue({ ...part, toolCallId });
      } else controller.enqueue(part);
    },
  });
}

/** Returns the unused id; providers accept letters, digits, `_` and `-`. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  const base = /^[\w-]{1,64}$/.test(id) ? id : "call";
  if (base === id && !taken.has(id)) return id;
  for (let count = 2; ; count++) if (!taken.has(`${base}-${count}`)) return `${base}-${count}`;
}
