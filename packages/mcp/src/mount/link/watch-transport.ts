import { HaftError } from "@haft/core";
import { isObject } from "@haft/utils";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { mcpError } from "../../errors.ts";
import { cleanMessage } from "./clean-message.ts";

type Id = number | string;

interface TransportWatch {
  /** Returns the last listed tools, unparsed: the client rejects the whole list for one malformed tool. */
  takeTools(): readonly unknown[];
  fail(error: HaftError, id?: Id): void;
}

export function watchTransport(transport: Transport): TransportWatch {
  const pending = new Set<Id>();
  let tools: readonly unknown[] = [];
  let handler: Transport["onmessage"];
  const seen = (received: JSONRPCMessage): JSONRPCMessage => {
    const message = cleanMessage(received) as JSONRPCMessage;
    if (!("id" in message) || "method" in message) return message;
    if (message.id !== undefined) pending.delete(message.id);
    const { result } = message as { result?: unknown };
    if (!isObject(result) || !Array.isArray(result["tools"])) return message;
    tools = result["tools"];
    return { ...message, result: { ...result, tools: [] } };
  };
  const deliver: NonNullable<Transport["onmessage"]> = (message, extra) =>
    handler?.(seen(message) as never, extra);
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => handler && deliver,
    // A second handler gets messages that are already parsed.
    set(next: Transport["onmessage"]) {
      handler = next;
    },
  });
  const fail = (error: HaftError, id?: Id): void => {
    const ids = id === undefined ? [...pending] : [id];
    for (const one of ids) {
      if (!pending.delete(one)) continue;
      const data = { haft: error };
      handler?.({ jsonrpc: "2.0", id: one, error: { code: -32_000, message: error.message, data } } as never);
    }
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!("method" in message) || !("id" in message)) return send(message, options);
    const { id } = message;
    pending.add(id);
    const ended = options?.onRequestStreamEnd;
    try {
      await send(message, {
        ...options,
        // No answer can follow.
        onRequestStreamEnd() {
          ended?.();
          fail(mcpError("MCP_SERVER_LOST", "The server ended the connection without an answer."), id);
        },
      });
    } catch (thrown) {
      pending.delete(id);
      throw thrown;
    }
  };
  return { takeTools: () => tools, fail };
}

/** Finds an error of {@link TransportWatch.fail}. A server cannot forge it: it is not JSON. */
export function findFailure(thrown: unknown): HaftError | undefined {
  const { data } = (thrown ?? {}) as { data?: unknown };
  const error = isObject(data) ? data["haft"] : undefined;
  return HaftError.is(error) ? error : undefined;
}
