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
  /** Contains URLs of servers, `nats://` or `tls://`. Cluster servers announce the others. */
  readonly servers: string | readonly string[];
  /** Starts all subjects. Only equal prefixes find each other. Default `haft`. */
  readonly prefix?: string;
  /** Contains the seed of an nkey (`SU…`) that the server knows, such as the identity's. */
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
   * Receives a warning if the connection is lost or restored, and if a server without permissions lets all
   * clients read messages.
   */
  readonly logger?: Pick<Logger, "warn">;
  /** Contains paths of certificates that the system lacks, or of a client certificate. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
