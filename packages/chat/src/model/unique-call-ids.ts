import type { AgentModel } from "./agent-model.ts";

type StreamPart =
  Awaited<ReturnType<AgentModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * Gives every call an id that no other call of the conversation has. Some endpoints count from one in each answer, or send
 * none at all; the ledger takes an id once, and a provider that gets two calls of one id back refuses the conversation.
 *
 * @param taken ids of the conversation so far; new ones are added
 */
export function uniqueCallIds(taken: Set<string>): TransformStream<StreamPart, StreamPart> {
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
