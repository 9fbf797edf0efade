import type { Logger } from "@haft/core";

/**
 * Configures the connection of a host or a node to its NATS server. File paths are absolute.
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
  /** Contains URLs of servers, `nats://` or `tls://`. Servers of a cluster announce the others. */
  readonly servers: string | readonly string[];
  /** Starts all subjects. Only hosts and nodes with the same prefix find each other. Default `haft`. */
  readonly prefix?: string;
  /** Contains the seed of an nkey (`SU…`), such as the identity's, if the server knows it. */
  readonly nkeySeed?: string;
  /** Contains the path of a credentials file (`.creds`). */
  readonly credentialsFile?: string;
  /** Contains the user name, with {@link password}. */
  readonly user?: string;
  /** Contains the user's password. */
  readonly password?: string;
  /** Contains a token, instead of a user. */
  readonly token?: string;
  /**
   * Receives a warning if the server has no permissions, so that all its clients can read the messages, and when the connection is lost or
   * restored.
   */
  readonly logger?: Pick<Logger, "warn">;
  /** Contains paths of certificate files, if the system's certificates are not sufficient or the server requires a client certificate. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
