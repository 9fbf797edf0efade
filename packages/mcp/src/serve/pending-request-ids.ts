import type { JSONRPCMessage } from "@modelcontextprotocol/server";

type Id = string | number;

/** Tracks unanswered requests, because an answer names only their id. */
export class PendingRequestIds {
  readonly #ids = new Set<Id>();

  /**
   * Registers the requests of a batch. A cancellation frees the id, because no answer follows.
   *
   * @returns the id of an unanswered request; then no request is registered or may run
   */
  take(messages: readonly unknown[]): Id | undefined {
    const taken = new Set<Id>();
    for (const id of messages.flatMap(requestedBy)) {
      if (this.#ids.has(id) || taken.has(id)) return id;
      taken.add(id);
    }
    for (const message of messages) this.#ids.delete(cancelledBy(message) as Id);
    for (const id of taken) this.#ids.add(id);
    return undefined;
  }

  release(messages: readonly unknown[]): void {
    for (const id of messages.flatMap(requestedBy)) this.#ids.delete(id);
  }

  watch(transport: { send(message: JSONRPCMessage, options?: object): Promise<void> }): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.answered(message);
      return send(message, options);
    };
  }

  answered(message: JSONRPCMessage): void {
    const { id, method } = message as { id?: Id; method?: unknown };
    if (method === undefined && id !== undefined) this.#ids.delete(id);
  }
}

export function describeDuplicateId(id: Id): string {
  return `The id ${JSON.stringify(id)} is in use by an unanswered request of this session. This request was not run; send it with a unique id.`;
}

function requestedBy(message: unknown): Id[] {
  const { id, method } = Object(message) as { id?: unknown; method?: unknown };
  const isRequest = typeof method === "string" && (typeof id === "string" || typeof id === "number");
  return isRequest ? [id] : [];
}

function cancelledBy(message: unknown): unknown {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  return method === "notifications/cancelled"
    ? (Object(params) as { requestId?: unknown }).requestId
    : undefined;
}
