import { wrapLanguageModel } from "ai";
import { chatError } from "../errors.ts";
import type { AgentModel } from "./agent-model.ts";

/**
 * The same model, not waited for without an end, and with ids of calls that are unique.
 *
 * @param options.stallMs milliseconds it may say nothing
 * @param options.taken ids of the conversation's calls so far; those of new ones are added
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

class StallClock {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  /** Aborts with `MODEL_FAILED`. */
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
      chatError("MODEL_FAILED", `The endpoint of the model said nothing for ${span}.`, {
        details: { reason: "stalled" },
        fix: "Say it again, or give it more time with --timeout.",
      }),
    );
  }
}

type StreamPart =
  Awaited<ReturnType<AgentModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * Gives every call an id that no other call of the conversation has. Some endpoints count from one in each answer, or send
 * none at all; the ledger takes an id once, and a provider that gets two calls of one id back refuses the conversation.
 *
 * @param taken ids of the conversation so far; new ones are added
 */
function uniqueCallIds(taken: Set<string>): TransformStream<StreamPart, StreamPart> {
  /** Of the calls that are being written, by the ids they came with. */
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

/** The id itself where it is free; providers take letters, digits, `_` and `-`. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  const base = /^[\w-]{1,64}$/.test(id) ? id : "call";
  if (base === id && !taken.has(id)) return id;
  for (let count = 2; ; count++) if (!taken.has(`${base}-${count}`)) return `${base}-${count}`;
}
