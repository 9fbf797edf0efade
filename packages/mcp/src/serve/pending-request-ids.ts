import type { JSONRPCMessage } from "@modelcontextprotocol/server";

type Id = string | number;

/** What one client asked, and nobody has answered: an answer says by its id alone which request it is of. */
export class PendingRequestIds {
  readonly #ids = new Set<Id>();

  /**
   * Notes the requests of messages that came together. One that the client cancels is never answered, and its id is free.
   *
   * @returns an id that a request has already which is not answered: then none of them is noted, and none may run
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

  /** None of them came to anybody who would answer. */
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
  return `The id ${JSON.stringify(id)} is in use: a request of this session has it that is not answered yet. This one was not run; send it with an id of its own.`;
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
