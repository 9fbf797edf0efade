import { AsyncLocalStorage } from "node:async_hooks";

/** Describes a request to a client in the protocol's format. */
export interface ClientQuestion {
  /** Names the method. */
  method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  /** Contains the parameters that the protocol defines for the method. */
  params?: Record<string, unknown>;
}

/**
 * Gives a running tool access to the MCP client that made its call.
 *
 * @example
 * ```ts
 * import type { ServedClient } from "@haft/mcp";
 * declare const client: ServedClient;
 * if ("roots" in client.capabilities) {
 *   const { roots } = await client.ask({ roots: { method: "roots/list" } });
 *   client.log("debug", roots);
 * }
 * ```
 */
export interface ServedClient {
  /** Contains the capabilities that the client declares: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Sends requests to the client, and resolves to responses with the same keys. Responses are not validated
   * and may be missing.
   *
   * @throws HaftError `MCP_CLIENT_SILENT` if the client does not support the requests, fails, or does not
   * respond
   */
  ask(questions: Readonly<Record<string, ClientQuestion>>): Promise<Readonly<Record<string, unknown>>>;
  /** Sends a log message, if the client wants log messages. */
  log(level: "debug" | "info" | "warning" | "error", data: unknown): void;
}

const serving = new AsyncLocalStorage<ServedClient>();

/**
 * Returns the running call's client, or `undefined` if no MCP client made the call.
 *
 * @example
 * ```ts
 * import { servedClient } from "@haft/mcp";
 * // in the execute function of a tool:
 * servedClient()?.log("info", "Downloading 3 of 12 files.");
 * ```
 */
export function servedClient(): ServedClient | undefined {
  return serving.getStore();
}

export function runWithClient<T>(client: ServedClient, run: () => T): T {
  return serving.run(client, run);
}
