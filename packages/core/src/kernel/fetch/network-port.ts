/** Describes one outgoing request. */
export interface NetworkRequest {
  /**
   * Addresses the request: `http:` or `https:`, without user, password, fragment and final dot, with the host as the URL standard spells
   * it.
   */
  readonly url: string;
  /** Names the method, in upper case. */
  readonly method: string;
  /** Lists headers in lower case, without `host` and connection headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Contains the complete body. */
  readonly body?: Uint8Array;
  /** Ends the connection, also while the body is read. */
  readonly signal: AbortSignal;
}

/** Contains the response. */
export interface NetworkAnswer {
  /** States the status, 200 to 999. */
  readonly status: number;
  /** Contains the status text, perhaps empty. */
  readonly statusText: string;
  /** Lists the headers in order, with repetitions, without headers of the encoded body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Streams the decoded body in pieces of at most 64 KiB. The connection ends with the stream. */
  readonly body?: AsyncIterable<Uint8Array>;
}

/**
 * Sends requests after policy has decided, without following redirects. It enforces the limits of its location (no network, listed hosts,
 * public addresses only), and connects to exactly the checked address.
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
  /** Sends a request. Resolves when the head of the response has arrived. */
  request(request: NetworkRequest): Promise<NetworkAnswer>;
}
