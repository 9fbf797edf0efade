/** One request on its way out. */
export interface NetworkRequest {
  /** `http:` or `https:`, without user, password and fragment; the host as the URL standard spells it, without a dot at its end. */
  readonly url: string;
  /** In upper case. */
  readonly method: string;
  /** In lower case, without `host` and those that are about the connection. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** All of it. */
  readonly body?: Uint8Array;
  /** Ends the connection, also while the body of the answer is read. */
  readonly signal: AbortSignal;
}

/** What came back. */
export interface NetworkAnswer {
  /** 200 to 999. */
  readonly status: number;
  /** As the server has it; may be empty. */
  readonly statusText: string;
  /** In the order and as often as they came. Without those that were true before the body was decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded, in pieces of at most 64 KiB. The connection ends with it: read to its end, given up, or failed. */
  readonly body?: AsyncIterable<Uint8Array>;
}

/**
 * The way out of the place that a session works in. It performs one exchange and follows nothing; that policy lets the host
 * be contacted was decided before. What the place itself keeps from its tools (no network, a list of hosts, addresses that are
 * nobody's on the internet) it refuses: it connects to the very address it looked at.
 *
 * Codes: `NO_NETWORK`, `ADDRESS_REFUSED`, `FETCH_FAILED`, `SANDBOX_LOST`.
 */
export interface Network {
  /** Resolves when the head of the answer is there. */
  request(request: NetworkRequest): Promise<NetworkAnswer>;
}
