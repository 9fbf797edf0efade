export interface ProxyLimits {
  /** Connections at the same time; further ones are closed. */
  connections: number;
  /** Bytes of the head of a request. */
  headBytes: number;
  /** Milliseconds until the head of a request has arrived. */
  headMs: number;
  /** Milliseconds until a host has answered the connection, its name looked up. */
  connectMs: number;
  /** Milliseconds in which nothing goes either way. */
  idleMs: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  connections: 256,
  headBytes: 32 * 1024,
  headMs: 15_000,
  connectMs: 30_000,
  idleMs: 10 * 60_000,
};
