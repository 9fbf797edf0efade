/** One outgoing request. */
export interface NetworkRequest {
  /**
   * The address: `http:` or `https:`, without user, password and fragment, with the host as the URL standard spells it and
   * without a final dot.
   */
  readonly url: string;
  /** The method, in upper case. */
  readonly method: string;
  /** The headers, with names in lower case, without `host` and those of the connection. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The complete body. */
  readonly body?: Uint8Array;
  /** Ends the connection, also while the body of the answer is read. */
  readonly signal: AbortSignal;
}

/** The answer to a request. */
export interface NetworkAnswer {
  /** The status, 200 to 999. */
  readonly status: number;
  /** The text of the status, which may be empty. */
  readonly statusText: string;
  /** The headers as they came, in order and with repetitions, without those that described the body before decoding. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The decoded body, in pieces of at most 64 KiB. The connection ends when it was read, is abandoned, or fails. */
  readonly body?: AsyncIterable<Uint8Array>;
}

/**
 * The network of a session. Each request is one exchange, without redirects. Policy has decided about the host before. The
 * network refuses what its location keeps from tools (no network, a list of hosts, addresses that are not public), and
 * connects to the very address it checked.
 *
 * Codes: `NO_NETWORK`, `ADDRESS_REFUSED`, `FETCH_FAILED`, `SANDBOX_LOST`.
 *
 * @example
 * ```ts
 * import type { Network } from "@haft/core/kernel";
 *
 * // Answers every request without a connection.
 * const offline: Network = {
 *   request: async ({ url }) => ({ status: 503, statusText: `no network for ${url}`, headers: [] }),
 * };
 * ```
 */
export interface Network {
  /** Makes a request. Resolves when the head of the answer has arrived. */
  request(request: NetworkRequest): Promise<NetworkAnswer>;
}
