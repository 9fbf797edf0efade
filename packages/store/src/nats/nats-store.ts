import type { Logger } from "@haft/core";
import type { StateStore } from "../state-store.ts";
import type { NatsConnectionOptions } from "./connection/options.ts";
import type { RecordsOptions, SharedRecords } from "./records/shared-records.ts";

/** Options of `openNatsStore`. */
export interface NatsStoreOptions extends NatsConnectionOptions {
  /** Begins the names of all that the store has on the server: hosts with the same share it. `haft` by default. */
  readonly prefix?: string;
  /** In a cluster: how many servers keep each record, 1 by default. Of a stream that is there already it is not changed. */
  readonly replicas?: number;
  /** What is kept of runs that nobody has. */
  readonly keep?: {
    /** Days after a run was closed, or its holder gave the last sign; 30 by default. */
    readonly days?: number;
    /** Bytes of all calls; the oldest runs go first. 500 MB by default. The server refuses more than twice that. */
    readonly bytes?: number;
  };
  /**
   * A file with 32 bytes or more that only these hosts have, the same at each: answers and grants are sealed with it, so whoever
   * else may write to the bucket of approvals can allow nothing. Absent: they are believed.
   */
  readonly sealKeyFile?: string;
  /** Told when the connection is lost and when it is back. */
  readonly logger?: Pick<Logger, "warn">;
}

/** What several hosts keep on one NATS server. */
export interface NatsStore extends StateStore {
  /** Removes now what is older or more than is to be kept, which happens by itself once an hour. */
  sweep(): Promise<void>;
  /**
   * Small records that all hosts of the store share, such as what was decided about nodes: `pairings` of `createNodes`.
   *
   * @throws HaftError `INVALID_OPTIONS`, `NATS_FAILED`
   */
  records<T>(options: RecordsOptions<T>): Promise<SharedRecords<T>>;
}
