import type { ServeOptions, SessionSource } from "../session-source.ts";

/**
 * Defines the access of a token: sessions of the same kind, in one workspace, under one policy. No other token reaches them.
 *
 * @example
 * ```ts
 * import type { SessionSource, Tenant } from "@haft/mcp";
 * declare function openSource(conversation?: string): SessionSource;
 * const tenant: Tenant = { label: "ci", approvals: "operator", source: (session) => openSource(session) };
 * ```
 */
export interface Tenant extends ServeOptions {
  /** Names the tenant in messages. */
  label: string;
  /**
   * Returns a conversation's source of sessions, once for each conversation.
   *
   * @param session the client's name of the conversation (header `Haft-Session`), if it sends one
   */
  source(session: string | undefined): SessionSource | Promise<SessionSource>;
}

/** Limits one HTTP server. */
export interface HttpLimits {
  /** Limits the open sessions per token. Default 64. */
  sessions?: number;
  /** Closes an unused session and its background processes after this many minutes. Default 240. */
  idleMinutes?: number;
  /** Limits the size of a request in bytes. Default 4 MiB. */
  bodyBytes?: number;
}

/**
 * Configures {@link serveHttp}.
 *
 * @example
 * ```ts
 * import type { HttpOptions, Tenant } from "@haft/mcp";
 * declare const tenants: ReadonlyMap<string, Tenant>; // by SHA-256 of the token
 * declare function sha256(text: string): string;
 * const options: HttpOptions = {
 *   port: 7331,
 *   resolveTenant: (token) => (token === undefined ? undefined : tenants.get(sha256(token))),
 * };
 * ```
 */
export interface HttpOptions {
  /** Sets the address to listen on. Default: `127.0.0.1`, which other machines cannot reach. */
  address?: string;
  /** Sets the port to listen on. Default: a free port. */
  port?: number;
  /** Adds host names that clients use, without a port. Default: only the names of this machine. */
  hosts?: readonly string[];
  /** Limits the resources of a client. Each limit has a default. */
  limits?: HttpLimits;
  /** Receives problems that no response contains. Default: they are dropped. */
  onProblem?: (message: string) => void;
  /**
   * Returns the tenant of a token. It is called for each request, so that revoking a token works immediately.
   * Compare tokens in constant time.
   *
   * @param token the request's token, if it has one
   * @returns the same object for the same tenant; `undefined` refuses the request
   */
  resolveTenant(token: string | undefined): Tenant | undefined;
}
