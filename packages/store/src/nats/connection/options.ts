/**
 * How a host connects to its NATS server. Paths of files are absolute.
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
  /** URLs of servers, `nats://` or `tls://`. Servers of a cluster announce the others. */
  readonly servers: string | readonly string[];
  /** Path of a credentials file (`.creds`). */
  readonly credentialsFile?: string;
  /** Path of a file with the seed of an nkey. */
  readonly nkeyFile?: string;
  /** User name, with {@link password}. */
  readonly user?: string;
  /** Password of the user. */
  readonly password?: string;
  /** Token, instead of a user. */
  readonly token?: string;
  /** Paths of certificate files, if the system's certificates are not sufficient or the server requires a client certificate. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
