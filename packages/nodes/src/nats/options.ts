import type { Logger } from "@haft/core";

/** How a host or a node comes to its NATS server. Files are named by absolute paths. */
export interface NatsBusOptions {
  /** Addresses, `nats://` or `tls://`; those of a cluster are told by its servers. */
  readonly servers: string | readonly string[];
  /** Begins all subjects: hosts and nodes that shall meet have the same. `haft` by default. */
  readonly prefix?: string;
  /** The seed of an nkey (`SU…`): that of the identity, where the server knows it. */
  readonly nkeySeed?: string;
  /** A file of credentials (`.creds`). */
  readonly credentialsFile?: string;
  /** A name, with a password. */
  readonly user?: string;
  /** Of that user. */
  readonly password?: string;
  /** Instead of a user: what the server wants to hear. */
  readonly token?: string;
  /** Told where the server has no permissions, so that all its clients can read what is said, and when it is lost and back. */
  readonly logger?: Pick<Logger, "warn">;
  /** Files of certificates, where the system's are not enough, or the server wants to see one. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}
