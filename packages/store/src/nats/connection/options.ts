/**
 * Configures the connection to a NATS server. File paths are absolute.
 *
 * @example
 * ```ts
 * import type { NatsConnectionOptions } from "@haft/store/nats";
 * const connection: NatsConnectionOptions = {
 *   servers: ["tls://nats-1.example.com", "tls://nats-2.example.com"],
 *   credentialsFile: "/etc/agent/host.creds",
 *   tls: { caFile: "/etc/agent/ca.pem" },
 * };
 * ```
 */
export interface NatsConnectionOptions {
  /** Contains URLs, `nats://` or `tls://`. Servers of a cluster announce the others. */
  readonly servers: string | readonly string[];
  /** Contains the path of a credentials file (`.creds`). */
  readonly credentialsFile?: string;
  /** Contains the path of a file with the seed of an nkey. */
  readonly nkeyFile?: string;
  /** Contains the user name, with {@link password}. */
  readonly user?: string;
  /** Contains the user's password. */
  readonly password?: string;
  /** Contains a token, instead of a user. */
  readonly token?: string;
  /** Contains paths of certificate files, in addition to the system's, or for a client certificate. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
