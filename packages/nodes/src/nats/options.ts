import type { Logger } from "@haft/core";

/**
 * How a host or a node connects to its NATS server. Paths of files are absolute.
 *
 * @example
 * ```ts
 * import type { NatsBusOptions } from "@haft/nodes/nats";
 * const options: NatsBusOptions = {
 *   servers: "tls://nats.example.com:4222",
 *   prefix: "lab",
 *   credentialsFile: "/etc/node/node.creds",
 *   logger: console,
 * };
 * ```
 */
export interface NatsBusOptions {
  /** URLs of servers, `nats://` or `tls://`. Servers of a cluster announce the others. */
  readonly servers: string | readonly string[];
  /** Prefix of all subjects. Hosts and nodes that shall find each other have the same. Default `haft`. */
  readonly prefix?: string;
  /** Seed of an nkey (`SU…`): that of the identity, if the server knows it. */
  readonly nkeySeed?: string;
  /** Path of a credentials file (`.creds`). */
  readonly credentialsFile?: string;
  /** User name, with {@link password}. */
  readonly user?: string;
  /** Password of the user. */
  readonly password?: string;
  /** Token, instead of a user. */
  readonly token?: string;
  /**
   * Receives a warning if the server has no permissions, so that all its clients can read the messages, and when the connection
   * is lost or restored.
   */
  readonly logger?: Pick<Logger, "warn">;
  /** Paths of certificate files, if the system's certificates are not sufficient or the server requires a client certificate. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
