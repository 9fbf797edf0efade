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
  /** Starts all names of the store on the server: hosts with the same prefix share the store. Default `haft`. */
  readonly prefix?: string;
  /** Sets the number of servers in a cluster that hold each record. Default 1. Existing streams are not changed. */
  readonly replicas?: number;
  /** Limits runs without a holder. */
  readonly keep?: {
    /** Limits the days after the end of a run, or after the last sign of its holder. Default 30. */
    readonly days?: number;
    /** Limits the bytes of all calls; the oldest runs are removed first. Default 500 MB. The server refuses more than twice that. */
    readonly bytes?: number;
  };
  /**
   * Contains the path of a file with at least 32 bytes that only these hosts have, the same for each. Answers and grants are sealed with
   * it, so that other clients with write access to the bucket of approvals cannot allow anything. Without it, they are trusted.
   */
  readonly sealKeyFile?: string;
  /** Receives a warning when the connection is lost, and when it is restored. */
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
  /** Applies the limits of `keep` now. The store does this every hour automatically. */
  sweep(): Promise<void>;
  /**
   * Opens small records that all hosts of the store share, such as the `pairings` of `createNodes`.
   *
   * @throws HaftError `INVALID_OPTIONS`, `NATS_FAILED`
   */
  records<T>(options: RecordsOptions<T>): Promise<SharedRecords<T>>;
}
