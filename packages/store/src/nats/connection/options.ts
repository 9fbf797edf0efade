/** How a host comes to its NATS server. Files are named by absolute paths. */
export interface NatsConnectionOptions {
  /** Addresses, `nats://` or `tls://`; those of a cluster are told by its servers. */
  readonly servers: string | readonly string[];
  /** A file of credentials (`.creds`). */
  readonly credentialsFile?: string;
  /** A file with the seed of an nkey. */
  readonly nkeyFile?: string;
  /** A name, with a password. */
  readonly user?: string;
  /** Of that user. */
  readonly password?: string;
  /** Instead of a user: what the server wants to hear. */
  readonly token?: string;
  /** Files of certificates, where the system's are not enough, or the server wants to see one. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
