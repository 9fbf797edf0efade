import type { Logger } from "@haft/core";
import type { StateStore } from "../state-store.ts";
import type { NatsConnectionOptions } from "./connection/options.ts";
import type { RecordsOptions, SharedRecords } from "./records/shared-records.ts";

/**
 * Configures `openNatsStore`.
 *
 * @example
 * ```ts
 * import type { NatsStoreOptions } from "@haft/store/nats";
 * const options: NatsStoreOptions = {
 *   servers: "nats://nats.internal:4222",
 *   prefix: "staging",
 *   replicas: 3,
 *   sealKeyFile: "/etc/agent/seal.key",
 * };
 * ```
 */
export interface NatsStoreOptions extends NatsConnectionOptions {
  /** Starts all names on the server: hosts with the same prefix share the store. Default `haft`. */
  readonly prefix?: string;
  /** Sets the servers in a cluster that hold each record. Default 1. Existing streams are not changed. */
  readonly replicas?: number;
  /** Limits runs without a holder. */
  readonly keep?: {
    /** Limits the days after the end of a run or its holder's last sign. Default 30. */
    readonly days?: number;
    /** Limits the bytes of all calls; the oldest runs are removed first. Default 500 MB. The server refuses more than twice that. */
    readonly bytes?: number;
  };
  /**
   * Contains the path of a file with at least 32 bytes, equal for all these hosts and secret. It seals answers and grants: without it, all
   * clients with write access to the bucket of approvals are trusted.
   */
  readonly sealKeyFile?: string;
  /** Receives warnings about losing and restoring the connection. */
  readonly logger?: Pick<Logger, "warn">;
}

/**
 * Stores the state of several hosts on a NATS server.
 *
 * @example
 * ```ts
 * import { openNatsStore, type NatsStore } from "@haft/store/nats";
 * const store: NatsStore = await openNatsStore({ servers: "nats://127.0.0.1:4222", keep: { days: 14 } });
 * await store.sweep();
 * await store.close();
 * ```
 */
export interface NatsStore extends StateStore {
  /** Applies the limits of `keep` now, as the store does every hour. */
  sweep(): Promise<void>;
  /**
   * Opens small records for all hosts of the store, such as the `pairings` of `createNodes`.
   *
   * @throws HaftError `INVALID_OPTIONS`, `NATS_FAILED`
   */
  records<T>(options: RecordsOptions<T>): Promise<SharedRecords<T>>;
}
